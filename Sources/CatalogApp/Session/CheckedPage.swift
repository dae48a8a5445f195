import OpenSwiftData

/// A page of records whose identifiers are printed with a check if they are the positions of rows.
struct CheckedPage: RecordPage {
  private let page: any RecordPage
  private let checks: [PersistentIdentifier: String]

  init(_ page: any RecordPage, _ checks: [PersistentIdentifier: String]) {
    (self.page, self.checks) = (page, checks)
  }

  var layout: SnapshotLayout { page.layout }
  var count: Int { page.count }

  func identifier(at place: Int) -> PersistentIdentifier { page.identifier(at: place) }

  func snapshots(in range: Range<Int>) -> [DefaultSnapshot] { page.snapshots(in: range) }

  func values(slot: Int) -> [Value] { page.values(slot: slot) }

  func append(_ range: Range<Int>, slot: Int, to column: inout TextColumn) {
    page.append(range, slot: slot, to: &column)
  }

  func appendIdentifiers(_ range: Range<Int>, to column: inout TextColumn) {
    for place in range {
      let identifier = page.identifier(at: place)
      column.append(.text(identifier.description + (checks[identifier].map { "~" + $0 } ?? "")))
    }
  }
}
