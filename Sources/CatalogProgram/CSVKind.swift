import OpenSwiftData
import Stores

extension StoreKind {
  /// A file of separated values.
  public static let csv = StoreKind(
    name: "csv",
    endings: [".csv", ".tsv", ".tab", ".psv"],
    defaultEnding: ".csv",
    open: { path, opening in
      var configuration = JSONStoreConfiguration(
        path: path,
        form: .delimited,
        schema: opening.schema,
        isReadOnly: opening.isReadOnly,
        lockTimeoutSeconds: opening.lockTimeoutSeconds ?? FileLock.defaultTimeoutSeconds
      )
      configuration.reading = opening.reading
      return try opening.container(configuration)
    }
  )
}
