import OpenSwiftData
import Stores

extension StoreKind {
  /// A store in memory, without a file.
  public static let memory = StoreKind(
    name: "memory",
    open: { _, opening in
      try ModelContainer(configurations: MemoryStoreConfiguration(schema: opening.schema))
    }
  )
}
