import OpenSwiftData
import Stores

extension StoreKind {
  /// An append-only log.
  static let log = StoreKind(name: "log", endings: [".catlog"], defaultEnding: ".catlog") {
    path,
    opening in
    try ModelContainer(
      configurations: LogStoreConfiguration(
        path: path,
        schema: opening.schema,
        isReadOnly: opening.isReadOnly,
        history: opening.history
      )
    )
  }
}
