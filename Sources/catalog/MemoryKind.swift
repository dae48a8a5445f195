import OpenSwiftData
import Stores

extension StoreKind {
  /// Nothing on disk.
  static let memory = StoreKind(name: "memory", endings: [], defaultEnding: nil) {
    _,
    opening in
    try ModelContainer(configurations: MemoryStoreConfiguration(schema: opening.schema))
  }
}
