import OpenSwiftData
import Stores

extension StoreKind {
  /// An append-only log.
  static let log = StoreKind(name: "log", endings: [".catlog"], defaultEnding: ".catlog") {
    path,
    schema,
    isReadOnly in
    try ModelContainer(
      configurations: LogStoreConfiguration(path: path, schema: schema, isReadOnly: isReadOnly)
    )
  }
}
