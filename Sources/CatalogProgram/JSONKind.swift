import OpenSwiftData
import Stores

extension StoreKind {
  /// A JSON file: a JSON catalog or a file from another program.
  public static let json = StoreKind(
    name: "json",
    endings: [".json", ".jsonl", ".ndjson"],
    defaultEnding: ".json",
    open: { path, opening in
      try ModelContainer(
        configurations: JSONStoreConfiguration(
          path: path,
          fragment: opening.fragment,
          schema: opening.schema,
          isReadOnly: opening.isReadOnly,
          lockTimeoutSeconds: opening.lockTimeoutSeconds ?? FileLock.defaultTimeoutSeconds
        )
      )
    }
  ).naming(.value)
}
