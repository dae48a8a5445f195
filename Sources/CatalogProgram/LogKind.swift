import OpenSwiftData
import Stores

extension StoreKind {
  /// An append-only log.
  public static let log = StoreKind(
    name: "log",
    endings: [".catlog"],
    defaultEnding: ".catlog",
    recognizes: { LogStore.isLog(FileKind.start(of: $0)) },
    open: { path, opening in
      try ModelContainer(
        configurations: LogStoreConfiguration(
          path: path,
          schema: opening.schema,
          isReadOnly: opening.isReadOnly,
          history: opening.history,
          lockTimeoutSeconds: opening.lockTimeoutSeconds ?? FileLock.defaultTimeoutSeconds,
          end: opening.end
        )
      )
    }
  )
}
