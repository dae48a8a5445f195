import OpenSwiftData
import SQLiteStores

extension StoreKind {
  /// A SQLite database: one of our own, or that of another program.
  public static let sqlite = StoreKind(
    name: "sqlite",
    endings: [".db", ".sqlite", ".sqlite3", ".db3"],
    defaultEnding: ".db",
    recognizes: { SQLiteStore.isDatabase(FileKind.start(of: $0)) },
    open: { path, opening in
      try ModelContainer(
        configurations: SQLiteConfiguration(
          path: path,
          schema: opening.schema,
          isReadOnly: opening.isReadOnly,
          lockTimeoutSeconds: opening.lockTimeoutSeconds ?? 5
        )
      )
    }
  ).naming(.entity)
}
