import OpenSwiftData

/// Answers the questions of the screen: reads the list of the table, and what else is in the store.
///
/// Confined to the thread of its session. The cost of a key depends on the size of the screen, not on
/// the number of records: the list is queried only when filter, order or entity change, and scrolling
/// only reads from it.
package final class ListReader {
  let session: Session
  /// Called between parts of long work; true stops the work.
  ///
  /// Called often, on the thread of the session.
  var isCancelled: @Sendable () -> Bool = { false }
  /// What the screen showed when the current work was requested.
  var facts = ScreenFacts() {
    didSet { session.shownColumns = (facts.entityName, facts.columns) }
  }
  /// The records that the table lists.
  var list = RecordList() {
    didSet { matches = nil }
  }
  /// The query that was asked for the list; nil before the first one.
  var asked: QuerySpec?
  /// The list in which the cursor was when the filter that is typed was begun; nil if none is typed.
  var listBefore: (asked: QuerySpec, list: RecordList)?
  /// The rows that contain the text counted last; nil after the list changed.
  var matches: RowMatches?

  init(_ session: Session) { self.session = session }

  /// Forgets the list, because another store was opened.
  func forgetList() { (list, asked) = (RecordList(), nil) }

  /// The records on the screen, for a command that names no records.
  func screenRecords() -> ScreenRecords? {
    guard let spec = list.spec, spec.entityName == facts.entityName else { return nil }
    return ScreenRecords(
      entityName: spec.entityName,
      allListed: { [list = list.unfolded] in
        try list.count(through: .max)
        return try list.identifiers(in: 0..<list.count)
      },
      listed: { [list = list.unfolded] in try list.listed($0) },
      total: list.extent.total,
      marks: facts.marks,
      cursor: facts.cursor,
      filter: facts.filter,
      columns: facts.columns.columns.map(\.name)
    )
  }
}
