import OpenSwiftData
import Stores

extension StoreKind {
  /// A file of separated values.
  public static let csv = StoreKind(
    name: "csv",
    endings: [".csv", ".tsv", ".tab", ".psv"],
    defaultEnding: ".csv",
    open: { path, opening in try opening.container(path, .delimited) }
  )
}
