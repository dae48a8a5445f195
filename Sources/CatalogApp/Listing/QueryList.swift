import OpenSwiftData

/// Which records the list has, and where the cursor is in it.
struct QueryList: Question {
  enum Reply: Hashable, Sendable {
    /// Listed: the extent, the row of the record to keep, and the state of the marked records.
    ///
    /// The heads are the first records of the groups that are folded, which stand for them.
    case listed(
      ListExtent,
      cursor: Int?,
      marks: MarkStatus = MarkStatus(),
      heads: Set<PersistentIdentifier> = []
    )
    /// Not listed: the filter names a record that was not found.
    case refused(FilterInput.Problem)
    /// Not listed, because the work was stopped; the previous list, of this entity, is still valid.
    case stopped(listed: String)
    /// Not listed, with the reason; the previous list is still valid.
    case failed(String)
  }

  let spec: QuerySpec
  /// The record to which the cursor moves if the list has it.
  let kept: PersistentIdentifier?
  /// Where the cursor was before the filter that is typed was begun; nil if none is typed.
  var origin: CursorOrigin?
  var work: String { spec.filter == .all && spec.text == nil ? "listing" : "filtering" }
  var urgency: Urgency { .replacedByTyping }

  /// Listing all records around the current one, as after Esc has cleared the filter, goes on: the next Esc clears the
  /// next thing.
  var isStoppedByEscape: Bool {
    spec.filter != .all || spec.text != nil || !spec.sort.isEmpty || kept == nil
  }

  func replaces(_ older: any Question) -> Bool { older is Self || older.urgency == .completion }

  func answer(by reader: ListReader) -> Reply? {
    reader.queryOrStop(spec, keeping: kept, from: origin)
  }
}

/// How far the list is counted.
struct CountedList: Hashable, Sendable {
  let extent: ListExtent
  /// The row for the cursor; nil if it stays.
  var cursor: Int?
  /// The state of the marked records once all rows are counted.
  let marks: MarkStatus?
}

/// How many records the list has, counted for a while when no other work is left.
struct CountOn: Question {
  var work: String { "counting" }
  var urgency: Urgency { .background }

  func answer(by reader: ListReader) throws -> CountedList? { try reader.countOn() }
}

/// Whether the list has a row, to which the cursor then moves; to the last row if there are fewer.
struct CountToRow: Question {
  let row: Int
  var work: String { "counting" }

  func answer(by reader: ListReader) throws -> CountedList? { try reader.count(toRow: row) }
}

/// The values of rows of the list.
struct ReadRows: Question {
  enum Reply: Hashable, Sendable {
    case rows([TableRow])
    /// They could not be read, with the reason.
    case unreadable(String)
  }

  let rows: Range<Int>
  var work: String { "reading" }
  var urgency: Urgency { .replacedByTyping }

  /// Rows that were asked for before may still be shown.
  func replaces(_ older: any Question) -> Bool { false }

  func answer(by reader: ListReader) -> Reply? {
    do {
      return .rows(try reader.rows(in: rows))
    } catch {
      return .unreadable(errorLine(error))
    }
  }
}

/// The row of a record in the list, to move the cursor there; the whole list is counted if necessary.
struct Locate: Question {
  struct Reply: Hashable, Sendable {
    /// Nil if the list does not have it.
    let row: Int?
    let extent: ListExtent
  }

  let record: PersistentIdentifier
  var work: String { "finding the record" }

  func answer(by reader: ListReader) throws -> Reply? {
    let list = reader.list
    if !list.extent.listed.isExact { try list.count(through: .max) }
    return Reply(row: try list.row(of: record), extent: list.extent)
  }
}

/// The identifiers of rows, to mark them.
struct Identify: Question {
  let rows: Range<Int>
  var work: String { "collecting records" }

  func answer(by reader: ListReader) throws -> [PersistentIdentifier]? {
    if rows.upperBound == .max { try reader.list.count(through: .max) }
    let isAll = rows == 0..<reader.list.count || rows.upperBound == .max
    let list = isAll ? reader.list.unfolded : reader.list
    let context = reader.session.context
    return try list.identifiers(in: rows.lowerBound..<(isAll ? list.count : rows.upperBound))
      .filter { context.pendingKind(of: $0) != .deleted }
  }
}
