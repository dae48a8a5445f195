import Foundation
import OpenSwiftData
import Stores

extension StoreKind {
  /// An append-only log.
  public static let log = StoreKind(
    name: "log",
    endings: [".catlog"],
    defaultEnding: ".catlog",
    recognizes: { path in
      // A file that cannot be read is reported when it is opened.
      let start = try? FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 8)
      return start.map(LogStore.isLog) ?? false
    },
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
