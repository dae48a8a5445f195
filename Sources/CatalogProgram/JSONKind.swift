import OpenSwiftData
import Stores

extension StoreKind {
  /// A JSON file: a JSON catalog or a file from another program.
  public static let json = StoreKind(
    name: "json",
    endings: [".json", ".jsonl", ".ndjson"],
    defaultEnding: ".json",
    open: { path, opening in
      try opening.container(
        JSONStoreConfiguration(
          path: path,
          fragment: opening.fragment,
          schema: opening.schema,
          isReadOnly: opening.isReadOnly,
          lockTimeoutSeconds: opening.lockTimeoutSeconds ?? FileLock.defaultTimeoutSeconds
        )
      )
    }
  ).naming(.value)

  /// A file of JSON Lines under any name.
  public static let jsonLines = StoreKind(
    name: "jsonl",
    open: { path, opening in
      try opening.container(
        JSONStoreConfiguration(
          path: path,
          form: .lines,
          schema: opening.schema,
          isReadOnly: opening.isReadOnly,
          lockTimeoutSeconds: opening.lockTimeoutSeconds ?? FileLock.defaultTimeoutSeconds
        )
      )
    }
  )
}

extension StoreOpening {
  /// Opens a file whose history is kept in a file of its own.
  func container(_ configuration: JSONStoreConfiguration) throws -> ModelContainer {
    var configuration = configuration
    configuration.historyPath = historyPath
    if case .last(let count) = history { configuration.historyLimit.transactionCount = count }
    return try ModelContainer(configurations: configuration)
  }
}
