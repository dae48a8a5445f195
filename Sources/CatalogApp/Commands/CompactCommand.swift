import OpenSwiftData

extension Command {
  /// `compact`: rewrites the file of the store.
  static let compact = Command(
    "compact",
    summary: "rewrite the store's file without what is no longer needed",
    details: "Unsaved changes stay unsaved.",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    let stores = session.maintainableStores
    guard !stores.isEmpty else {
      throw CommandError("the store \(session.storeName) has nothing to compact")
    }
    return .lines(try stores.map { store in try SaveFailure.describing { try store.compact() } })
  }
}

extension Session {
  /// The open stores that can look after their files.
  var maintainableStores: [any MaintainableStore] {
    context.container.stores.compactMap { $0 as? any MaintainableStore }
  }
}
