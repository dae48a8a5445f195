import Foundation
import OpenSwiftData

extension AppRunner {
  /// Records are read in pages of so many where all must be looked at.
  private static let pageCount = 1024
  /// A search looks at so many rows by itself before it asks the store for all matches.
  private static let nearRows = 4096

  /// Makes the list anew, and finds the row of a record in it.
  func query(_ spec: QuerySpec, keeping kept: PersistentIdentifier?) throws -> AppMessage {
    try list.query(spec, session.context)
    return .queried(
      list.extent,
      cursor: kept.flatMap { list.identifiers.firstIndex(of: $0) },
      marks: try marksStanding()
    )
  }

  /// Which of the marked records the list does not show, and which no longer exist.
  ///
  /// - Complexity: O(n) in the records listed when some are marked.
  private func marksStanding() throws -> MarkStanding {
    let marks = state.table.marks
    guard !marks.isEmpty, state.table.entity?.name == list.spec?.entityName else {
      return MarkStanding()
    }
    let missing = marks.all.subtracting(list.identifiers)
    let hidden = Set(try session.present(Array(missing)))
    return MarkStanding(hidden: hidden, gone: missing.subtracting(hidden))
  }

  /// The values of rows; records that are gone have none.
  ///
  /// - Complexity: O(rows).
  func rows(in range: Range<Int>) throws -> [TableRow] {
    let identifiers = Array(list.identifiers[range.clamped(to: list.identifiers.indices)])
    let snapshots = try session.context.snapshots(for: identifiers)
    return identifiers.map { identifier in
      TableRow(
        identifier: identifier,
        values: snapshots[identifier]?.orderedValues ?? [],
        pending: session.context.pendingKind(of: identifier)
      )
    }
  }

  // MARK: Searching

  /// The nearest row with a text, from a row on, around the end if need be.
  ///
  /// - Complexity: O(rows until the match) when it is near, else what the store needs to filter.
  func search(_ text: String, from start: Int, isForward: Bool) throws -> Int? {
    let count = list.identifiers.count
    guard count > 0, let spec = list.spec, !text.isEmpty else { return nil }
    let entity = try session.context.schema.entity(named: spec.entityName)
    let match = TextMatch(
      .contains,
      text,
      options: [.caseInsensitive, .diacriticInsensitive]
    )
    let filter = Filter.anyText(match)
    let first = ((start % count) + count) % count
    let bound = try BoundFilter(filter, layout: entity.layout)
    if let near = try nearMatch(bound, from: first, isForward: isForward) { return near }
    if count <= Self.nearRows { return nil }
    let matching = Set(
      try session.context.fetchIdentifiers(
        matching: Query(spec.entityName, filter: spec.filter.and(filter))
      )
    )
    guard !matching.isEmpty else { return nil }
    return farMatch(matching, from: first, isForward: isForward)
  }

  private func nearMatch(_ filter: BoundFilter, from first: Int, isForward: Bool) throws -> Int? {
    let count = list.identifiers.count
    var done = 0
    var pageCount = 64
    while done < min(count, Self.nearRows), !isCancelled() {
      let places = (done..<min(count, done + pageCount)).map {
        isForward ? (first + $0) % count : (first - $0 + count) % count
      }
      let page = places.map { list.identifiers[$0] }
      let snapshots = try session.context.snapshots(for: page)
      for (place, identifier) in zip(places, page) {
        if let snapshot = snapshots[identifier], filter.matches(snapshot) { return place }
      }
      done += places.count
      pageCount = Self.pageCount
    }
    return nil
  }

  private func farMatch(
    _ matching: Set<PersistentIdentifier>,
    from first: Int,
    isForward: Bool
  ) -> Int? {
    let count = list.identifiers.count
    for step in 0..<count {
      let place = isForward ? (first + step) % count : (first - step + count) % count
      if matching.contains(list.identifiers[place]) { return place }
    }
    return nil
  }

  // MARK: Values and history

  /// Counts the values of a field in the list.
  ///
  /// - Complexity: O(n) in the records listed.
  func countValues(of name: String) throws -> AppMessage {
    var counts: [Value: Int] = [:]
    var total = 0
    let identifiers = screenRecords(nil)?.shown ?? []
    for start in stride(from: 0, to: identifiers.count, by: Self.pageCount) {
      guard !isCancelled() else { return .failed("counting was stopped") }
      let end = min(start + Self.pageCount, identifiers.count)
      let page = Array(identifiers[start..<end])
      let snapshots = try session.context.snapshots(for: page)
      for identifier in page where session.context.pendingKind(of: identifier) != .deleted {
        guard let snapshot = snapshots[identifier] else { continue }
        counts[snapshot[name] ?? .null, default: 0] += 1
        total += 1
      }
    }
    let sorted = counts.map { ValueCount(value: $0.key, count: $0.value) }.sorted {
      $0.count != $1.count
        ? $0.count > $1.count : $0.value.compare($1.value) == .orderedAscending
    }
    return .counted(attribute: name, sorted, total: total)
  }

  /// Reads what was saved of a record, the latest first.
  func history(of identifier: PersistentIdentifier) -> AppMessage {
    do {
      let transactions = try session.context.transactions(touching: identifier)
      let entries = transactions.reversed().compactMap {
        HistoryEntry($0, of: identifier)
      }
      return .history(identifier, entries, failure: nil)
    } catch {
      return .history(identifier, [], failure: ScriptRunner.line(for: error))
    }
  }
}

extension HistoryEntry {
  /// Says what a transaction did to a record; nil when nothing.
  fileprivate init?(_ transaction: Transaction, of identifier: PersistentIdentifier) {
    guard let own = transaction.restricted(to: identifier) else { return nil }
    token = own.token
    let by = own.author.map { " by \($0)" } ?? ""
    title = "\(own.token)  \(own.savedAt.text)\(by)"
    var lines: [String] = []
    for update in own.changes.updated {
      for slot in update.changedSlots {
        let name = update.after.layout.names[slot]
        let before = Self.text(update.before.orderedValues[slot])
        lines.append("\(name): \(before) → \(Self.text(update.after.orderedValues[slot]))")
      }
    }
    for (snapshots, word) in [(own.changes.inserted, "added"), (own.changes.deleted, "deleted")] {
      for snapshot in snapshots {
        let values = zip(snapshot.layout.names, snapshot.orderedValues).filter { !$0.1.isNull }
        lines.append(
          word + " with " + values.map { "\($0.0): \(Self.text($0.1))" }.joined(separator: ", ")
        )
      }
    }
    self.lines = lines
  }

  private static func text(_ value: Value) -> String {
    ValueText(value, clippedTo: 60).text.plain
  }
}
