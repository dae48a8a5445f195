import Foundation
import OpenSwiftData

extension ListReader {
  /// The number of records read together when all must be examined.
  private static let pageCount = 1024
  /// The number of rows that a search reads directly before it queries the store for all matches.
  private static let nearRows = 4096

  /// Runs the query for the list; if that is stopped, the previous list stays, which may be that of another entity.
  func queryOrStop(
    _ spec: QuerySpec,
    keeping kept: PersistentIdentifier?,
    from origin: CursorOrigin?
  ) -> QueryList.Reply {
    do {
      return try query(spec, keeping: kept, from: origin)
    } catch {
      guard error is Interruption.Stopped, let listed = list.spec else {
        return .failed(errorLine(error))
      }
      return .stopped(listed: listed.entityName)
    }
  }

  /// Runs the query for the list, and finds the row for the cursor in it.
  private func query(
    _ asked: QuerySpec,
    keeping kept: PersistentIdentifier?,
    from origin: CursorOrigin?
  ) throws -> QueryList.Reply {
    var spec = asked
    let entity = try session.entity(spec.entityName)
    if let known = knownFilter(of: spec) {
      spec.filter = known
    } else if let text = spec.text {
      do {
        spec.filter = try session.filter(typed: text, for: entity)
      } catch let problem as FilterInput.Problem {
        return .refused(problem)
      }
    }
    let former = list
    noteListBefore(origin)
    let heads: Set<PersistentIdentifier>
    do {
      let records = try recordsReadHere(spec.query, entity)
      try list.query(spec, session.context, records: records)
      heads = try fold(spec.folds, &list)
      try list.count(through: max(Self.firstRows, knownRow(of: asked, origin, former)))
    } catch {
      // The screen keeps the former list.
      list = former
      throw error
    }
    self.asked = asked
    // To find the record may count more of the list.
    let cursor =
      try origin.map { try row(from: $0, asked) } ?? kept.flatMap { try row(keeping: $0, former) }
    let isCounted = list.extent.listed.isExact
    return .listed(
      list.extent,
      cursor: cursor,
      marks: try isCounted ? markStatus() : MarkStatus(),
      heads: heads
    )
  }

  /// The records that a query finds, if no listing of the store can answer it; nil otherwise.
  private func recordsReadHere(_ query: Query, _ entity: Schema.Entity) throws
    -> [PersistentIdentifier]?
  {
    let isRead = query.needsRecords(of: entity) || query.ordersByLink(entity)
    return isRead
      ? try session.context.fetchIdentifiers(
        query,
        linksByTitle: true,
        computed: session.computedPaths(of: entity)
      ) : nil
  }

  /// A list of all records in the order of the shown one.
  func allRecords(_ spec: QuerySpec) throws -> RecordList {
    var spec = spec
    (spec.filter, spec.text) = (.all, nil)
    let entity = try session.context.schema.entity(named: spec.entityName)
    var all = RecordList()
    try all.query(spec, session.context, records: try recordsReadHere(spec.query, entity))
    return all
  }

  /// The filter of the list if only the order changes; nil if records, titles or paths must be looked up.
  private func knownFilter(of spec: QuerySpec) -> Filter? {
    guard let former = list.spec, spec.text != nil, former.text == spec.text,
      former.entityName == spec.entityName, former.sort != spec.sort, list.isAsQueried
    else { return nil }
    return former.filter
  }

  // MARK: Counting

  /// How long the list is counted before the screen shows how far it is.
  private static let countingTime = Duration.milliseconds(50)

  /// Counts the records of the list and of its entity for a while.
  ///
  /// - Returns: Nil if the table shows another list by now, which is to be queried.
  func countOn() throws -> CountedList? {
    guard let spec = list.spec, spec.entityName == facts.entityName else { return nil }
    let wasCounted = list.extent.listed.isExact
    try list.countOn(until: .now + Self.countingTime)
    let isCounted = list.extent.listed.isExact
    return CountedList(
      extent: list.extent,
      marks: !wasCounted && isCounted ? try markStatus() : nil
    )
  }

  /// Counts the list up to a row.
  func count(toRow row: Int) throws -> CountedList {
    let wasCounted = list.extent.listed.isExact
    try list.count(through: row)
    let isCounted = list.extent.listed.isExact
    let marks = !wasCounted && isCounted ? try markStatus() : nil
    return CountedList(extent: list.extent, cursor: row, marks: marks)
  }

  /// The marked records that the filter hides, and those that no longer exist.
  ///
  /// - Complexity: O(n) in the records listed if some are marked.
  private func markStatus() throws -> MarkStatus {
    let marks = facts.marks
    guard !marks.isEmpty, facts.entityName == list.spec?.entityName else {
      return MarkStatus()
    }
    let missing = try list.unfolded.unlisted(marks.all)
    let hidden = Set(try session.context.present(Array(missing)))
    return MarkStatus(hidden: hidden, gone: missing.subtracting(hidden))
  }

  /// The values of rows; empty for records that no longer exist.
  ///
  /// - Complexity: O(rows).
  func rows(in range: Range<Int>) throws -> [TableRow] {
    var rows = try list.records(in: range, session.context).map { record in
      TableRow(
        identifier: record.identifier,
        values: record.snapshot?.orderedValues ?? [],
        pending: session.context.pendingKind(of: record.identifier)
      )
    }
    for (place, row) in rows.enumerated() where row.pending == .updated {
      rows[place].changed = Set(session.context.changedSlots(of: row.identifier))
    }
    try addPaths(to: &rows)
    try addTitles(to: &rows)
    return rows
  }

  // MARK: Searching

  /// The nearest row with a text, starting at a row and wrapping around; for a record of a folded group, the line of
  /// the group.
  ///
  /// - Complexity: O(rows until the match) when it is near, else the cost of a filter in the store.
  func search(_ text: String, from start: Int, isForward: Bool) throws
    -> (row: Int, folded: FoldedMatch?)?
  {
    // Before the first row comes the last one, and after one that may not be the last comes the next.
    try list.count(through: start < 0 ? .max : start)
    let count = list.count
    guard count > 0, let spec = list.spec, !text.isEmpty else { return nil }
    let entity = try session.context.schema.entity(named: spec.entityName)
    let filter = try session.resolving(SearchText(text, entity).filter, of: entity)
    let first = list.unfoldedRow(of: ((start % count) + count) % count, isLast: !isForward)
    let all = list.unfolded
    let bound = try RecordSearch(filter, of: entity, shownComputedPaths(of: entity))
    let found =
      try nearMatch(bound, in: all, from: first, isForward: isForward)
      ?? (bound.computes
        ? nearMatch(
          bound,
          in: all,
          from: isForward ? 0 : count - 1,
          most: .max,
          isForward: isForward
        )
        : match(filter, in: all, from: first, isForward: isForward))
    guard let found else { return nil }
    let shown = list.shownRow(ofUnfolded: found)
    return (shown.row, shown.isFolded ? try foldedMatch(at: found, all) : nil)
  }

  /// The nearest match that the store finds, wrapping around.
  private func match(_ filter: Filter, in list: RecordList, from first: Int, isForward: Bool) throws
    -> Int?
  {
    let context = session.context
    if let ahead = try list.row(matching: filter, from: first, isForward: isForward, context) {
      return ahead
    }
    if !isForward { try list.count(through: .max) }
    let last = isForward ? 0 : list.count - 1
    // All rows were searched.
    if last == first { return nil }
    return try list.row(matching: filter, from: last, isForward: isForward, context)
  }

  /// The computed columns that the table shows, in which a search looks, too.
  private func shownComputedPaths(of entity: Schema.Entity) -> [FieldPath] {
    session.computedPaths(of: entity).filter { facts.shownPaths.contains($0.name) }
  }

  /// The nearest match among the rows that follow, without wrapping around.
  private func nearMatch(
    _ search: RecordSearch,
    in list: RecordList,
    from first: Int,
    most: Int? = nil,
    isForward: Bool
  ) throws -> Int? {
    var done = 0
    var pageCount = 64
    let most = most ?? (search.computes ? .max : Self.nearRows)
    if most == .max { try list.count(through: .max) }
    let count = min(most, isForward ? list.count - first : first + 1)
    while done < count {
      try Interruption.check()
      let size = min(pageCount, count - done)
      let start = isForward ? first + done : first - done - size + 1
      let records = try list.records(in: start..<(start + size), session.context)
      let found = try search.matches(records, session.context)
      if let place = isForward ? found.firstIndex(of: true) : found.lastIndex(of: true) {
        return start + place
      }
      done += size
      pageCount = Self.pageCount
    }
    return nil
  }

  /// The maximum number of rows to search for a text, and of matches to count.
  private static let countedRows = 65_536
  private static let mostMatches = 999

  /// Counts the rows with a text, also in folded groups, and finds the position of one of them.
  ///
  /// - Complexity: O(rows), bounded; O(log n) if the text was counted before.
  func count(_ text: String, at row: Int) throws -> MatchCount {
    let known = matches.flatMap { $0.text == text ? $0 : nil }
    let found = try known ?? rows(holding: text)
    // What was found until the work was stopped is not the answer to the next question.
    matches = found.isStopped ? nil : found
    let place = list.unfoldedRow(of: row)
    // The line of a folded group does not count as a match.
    let isFolded = list.shownRow(ofUnfolded: place).isFolded
    return MatchCount(
      text: text,
      row: row,
      place: isFolded ? nil : found.rows.firstIndex(of: place).map { $0 + 1 },
      count: found.rows.count,
      isCapped: found.isCapped
    )
  }

  private func rows(holding text: String) throws -> RowMatches {
    guard let spec = list.spec else { return RowMatches(text: text, rows: [], isCapped: false) }
    let entity = try session.context.schema.entity(named: spec.entityName)
    let wanted = try session.resolving(SearchText(text, entity).filter, of: entity)
    let search = try RecordSearch(wanted, of: entity, shownComputedPaths(of: entity))
    let list = list.unfolded
    var rows: [Int] = []
    var start = 0
    let end = min(list.count, Self.countedRows)
    while start < end, rows.count < Self.mostMatches, !isCancelled() {
      let next = min(end, start + Self.pageCount)
      let page = try list.records(in: start..<next, session.context)
      for (place, isMatch) in try search.matches(page, session.context).enumerated() where isMatch {
        rows.append(start + place)
      }
      start = next
    }
    return RowMatches(
      text: text,
      rows: Array(rows.prefix(Self.mostMatches)),
      isCapped: start < list.count || !list.extent.listed.isExact || rows.count > Self.mostMatches,
      isStopped: start < end && rows.count < Self.mostMatches
    )
  }

  // MARK: Values and history

  /// The maximum number of records to read for completing values, and of values to offer.
  private static let completedRecords = 20_000
  private static let completedValues = 100

  /// The values of a field whose text begins with a prefix, from all records of the entity.
  func values(of name: String, prefix: String) throws -> [ValueCount] {
    guard let spec = list.spec else { return [] }
    let entity = try session.context.schema.entity(named: spec.entityName)
    let path = try session.fieldPath(name, of: entity)
    let fields = path?.fields ?? [name]
    let isText = entity.fieldsByName[name]?.type == .text && !prefix.isEmpty
    let match = TextMatch(.beginsWith, prefix, options: .caseInsensitive)
    let known =
      fields.count == 1 && path?.isComputed != true ? Filter.not(.isNull(fields[0])) : .all
    let query = Query(
      spec.entityName,
      filter: isText ? .text(name, match) : known,
      limit: Self.completedRecords
    )
    let found = try session.context.fetchIdentifiers(matching: query)
    let wanted = prefix.lowercased()
    var values: [Value: Int] = [:]
    for start in stride(from: 0, to: found.count, by: Self.pageCount) where !isCancelled() {
      let page = Array(found[start..<min(found.count, start + Self.pageCount)])
      for value in try self.values(at: path, name, in: page, fields)
      where value.text.lowercased().hasPrefix(wanted) {
        values[value, default: 0] += 1
      }
    }
    let sorted = values.filter { !$0.key.isNull }
      .sorted { $0.key.compare($1.key) == .orderedAscending }
    return sorted.prefix(Self.completedValues).map { ValueCount(value: $0.key, count: $0.value) }
  }

  /// The titles of the records that a link refers to and that begin with a text, else those that contain it.
  ///
  /// - Complexity: O(n) in the records of the entity, and in the records that they refer to.
  func titles(of name: String, matching text: String) throws -> [ValueCount] {
    guard let spec = list.spec else { return [] }
    let counts = try session.context.valueCounts(of: name, matching: Query(spec.entityName))
    var records: [PersistentIdentifier: Int] = [:]
    for (value, count) in counts {
      for record in value.linkedIdentifiers { records[record, default: 0] += count }
    }
    let wanted = text.lowercased()
    var found: [String: Int] = [:]
    for (record, title) in try session.context.titles(of: Array(records.keys))
    where wanted.isEmpty || title.lowercased().contains(wanted) {
      found[title, default: 0] += records[record] ?? 0
    }
    let beginning = found.filter { $0.key.lowercased().hasPrefix(wanted) }
    return (beginning.isEmpty ? found : beginning).sorted { $0.key < $1.key }
      .prefix(Self.completedValues).map { ValueCount(value: .text($0.key), count: $0.value) }
  }

  /// The number of records with each value: of the marked ones if there are any and they are asked for, else of
  /// all listed ones.
  func counts(of name: String, ofMarked usesMarks: Bool) throws -> [Value: Int] {
    let context = session.context
    guard let spec = list.spec, facts.entityName == spec.entityName else { return [:] }
    let entity = try context.schema.entity(named: spec.entityName)
    let path = try session.fieldPath(name, of: entity)
    // The store counts the values, unless the list differs from what it would find.
    if facts.marks.isEmpty || !usesMarks, list.isAsQueried, path == nil,
      !spec.query.needsRecords(of: entity)
    {
      return try context.valueCounts(
        of: name,
        matching: Query(spec.entityName, filter: spec.filter)
      )
    }
    var counts: [Value: Int] = [:]
    let identifiers =
      try usesMarks ? screenRecords()?.shown() ?? [] : screenRecords()?.allListed() ?? []
    for start in stride(from: 0, to: identifiers.count, by: Self.pageCount) {
      try Interruption.check()
      let end = min(start + Self.pageCount, identifiers.count)
      let page = Array(identifiers[start..<end])
      let present = page.filter { context.pendingKind(of: $0) != .deleted }
      for value in try values(at: path, name, in: present, path?.fields ?? [name]) {
        counts[value, default: 0] += 1
      }
    }
    return counts
  }

  /// The values of a field of records, or those at a path or in a computed column.
  private func values(
    at path: FieldPath?,
    _ name: String,
    in identifiers: [PersistentIdentifier],
    _ fields: [String]
  ) throws -> [Value] {
    let snapshots = try session.context.snapshots(for: identifiers, attributes: fields)
    let records = RecordFields(
      identifiers.compactMap { record in
        snapshots[record].map { (record, $0.arranged(as: SnapshotLayout(fields)).orderedValues) }
      },
      SnapshotLayout(fields)
    )
    return try path.map { try session.context.values(at: $0, of: records) } ?? records.values(name)
  }
}

/// The rows that contain a text, as far as they were counted.
struct RowMatches {
  let text: String
  let rows: [Int]
  /// True if there may be more.
  let isCapped: Bool
  /// True if the rows were not searched to the end, because the work was stopped.
  var isStopped = false
}
