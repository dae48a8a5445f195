import OpenSwiftData

/// A page of records with the values at paths and in computed columns as additional fields.
struct PathPage: RecordPage {
  private let page: any RecordPage
  let layout: SnapshotLayout
  /// The values of each additional field.
  private let added: [[Value]]

  /// Reads the values at the paths, and the linked records where they need it.
  ///
  /// - Throws: The error of a store that cannot be read.
  init(_ page: any RecordPage, _ paths: [FieldPath], in context: ModelContext) throws {
    self.page = page
    layout = SnapshotLayout(page.layout.names + paths.map(\.name))
    let records = RecordFields(page)
    added = try paths.map { try context.values(at: $0, of: records) }
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
