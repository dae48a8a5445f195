import OpenSwiftData
import Stores

extension StoreKind {
  /// A JSON file: a JSON catalog or a file from another program.
  public static let json = StoreKind(
    name: "json",
    endings: [".json", ".jsonl", ".ndjson"],
    defaultEnding: ".json",
    open: { path, opening in try opening.container(path, .json, fragment: opening.fragment) }
  ).naming(.value)

  /// A file of JSON Lines under any name.
  public static let jsonLines = StoreKind(
    name: "jsonl",
    open: { path, opening in try opening.container(path, .lines) }
  )
}

extension StoreOpening {
  /// Opens a file whose history is kept in a file of its own.
  func container(
    _ path: String,
    _ form: JSONStoreConfiguration.Form,
    fragment: String? = nil
  ) throws -> ModelContainer {
    var configuration = JSONStoreConfiguration(
      path: path,
      form: form,
      fragment: fragment,
      schema: schema,
      isReadOnly: isReadOnly,
      lockTimeoutSeconds: lockTimeoutSeconds ?? FileLock.defaultTimeoutSeconds
    )
    configuration.reading = reading
    configuration.historyPath = historyPath
    if case .last(let count) = history { configuration.historyLimit.transactionCount = count }
    return try ModelContainer(configurations: configuration)
  }
}
