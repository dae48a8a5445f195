import OpenSwiftData
import Stores

extension StoreKind {
  /// A store in memory, without a file.
  static let memory = StoreKind(name: "memory", endings: [], defaultEnding: nil) {
    _,
    opening in
    try ModelContainer(configurations: MemoryStoreConfiguration(schema: opening.schema))
  }
}
