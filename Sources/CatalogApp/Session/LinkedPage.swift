import OpenSwiftData

/// A page of records with the values of linked records as additional fields.
struct LinkedPage: RecordPage {
  private let page: any RecordPage
  let layout: SnapshotLayout
  /// The values of each additional field.
  private let added: [[Value]]

  /// Reads the linked records of a page.
  ///
  /// - Throws: The error of a store that cannot be read.
  init(_ page: any RecordPage, _ paths: [LinkPath], in context: ModelContext) throws {
    self.page = page
    layout = SnapshotLayout(page.layout.names + paths.map(\.name))
    added = try paths.map { path in
      // Another program may have removed the field since the records were listed.
      guard let slot = page.layout.slot(of: path.link) else {
        return Array(repeating: .null, count: page.count)
      }
      let links = page.values(slot: slot).map(\.linkedRecord)
      let values = try context.values(at: path, of: Set(links.compactMap { $0 }))
      return links.map { $0.flatMap { values[$0] } ?? .null }
    }
    assert(added.allSatisfy { $0.count == page.count }, "each record has a value")
  }

  var count: Int { page.count }

  func identifier(at place: Int) -> PersistentIdentifier { page.identifier(at: place) }

  func snapshots(in range: Range<Int>) -> [DefaultSnapshot] {
    zip(range, page.snapshots(in: range)).map { place, snapshot in
      DefaultSnapshot(
        persistentIdentifier: snapshot.persistentIdentifier,
        layout: layout,
        orderedValues: snapshot.arranged(as: page.layout).orderedValues + added.map { $0[place] }
      )
    }
  }

  func values(slot: Int) -> [Value] {
    let own = page.layout.names.count
    return slot < own ? page.values(slot: slot) : added[slot - own]
  }

  func append(_ range: Range<Int>, slot: Int, to column: inout TextColumn) {
    let own = page.layout.names.count
    guard slot >= own else { return page.append(range, slot: slot, to: &column) }
    for place in range { column.append(added[slot - own][place]) }
  }

  func appendIdentifiers(_ range: Range<Int>, to column: inout TextColumn) {
    page.appendIdentifiers(range, to: &column)
  }
}
