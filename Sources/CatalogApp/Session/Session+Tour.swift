import OpenSwiftData

/// A store that is put aside while another one is tried out.
package struct StoreAside {
  let store: CurrentStore
  let entityName: String?
}

extension Session {
  /// Puts the store aside, with its unsaved changes, and opens the sample in memory for the tour.
  ///
  /// - Throws: The error of a sample that cannot be read; then the store stays open.
  func beginTour() throws {
    guard aside == nil else { return }
    let opened = try services.openSample()
    aside = StoreAside(store: store, entityName: entityName)
    use(opened, isForTour: true)
  }

  /// Uses the store again that was put aside.
  package func endTour() {
    guard let aside else { return }
    close()
    use(aside.store, entityName: aside.entityName)
    self.aside = nil
  }
}
