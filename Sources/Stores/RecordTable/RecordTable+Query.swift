package import OpenSwiftData

extension RecordTable {
  /// The matching records, in order, within limit and offset.
  ///
  /// - Throws: `PersistenceError` for names that are not in the schema, a negative limit or offset,
  ///   or an invalid pattern.
  /// - Complexity: O(n) over the columns that the query uses; values are made only for the result.
  package func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let table = tables[try place(for: query)]
    let rows = try table.rows(matching: query)
    if query.attributes == nil { try table.checkSize(rows.count) }
    let counter = WorkCounter(of: rows.count)
    let found = try table.snapshots(at: rows, as: table.projection(query.attributes)) {
      try counter.advance(to: $0)
    }
    try counter.advance(to: rows.count)
    return found
  }

  /// The identifiers of the matching records, in order.
  ///
  /// - Throws: As `snapshots(matching:)`.
  package func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    let table = tables[try place(for: query)]
    var meter = WorkMeter()
    return try table.rows(matching: query).map { row in
      try meter.count()
      return table.keys[Int(row)]
    }
  }

  /// The number of matching records, within limit and offset; the order is ignored.
  ///
  /// - Throws: As `snapshots(matching:)`.
  package func count(matching query: Query) throws -> Int {
    let table = tables[try place(for: query)]
    for key in query.sort { _ = try table.slot(of: key.attribute) }
    if query.filter == .all { return query.window(of: table.liveCount).count }
    return query.window(of: try table.select(query.filter).populationCount).count
  }

  /// The rows of the matching records, in order, within limit and offset.
  ///
  /// - Throws: As `snapshots(matching:)`.
  package func rows(matching query: Query) throws -> [Int32] {
    try tables[try place(for: query)].rows(matching: query)
  }

  /// The records with these identifiers; missing records are skipped.
  package func snapshots(for identifiers: [PersistentIdentifier]) -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    snapshots(for: identifiers) { $0.wholeRecord }
  }

  /// The records with these identifiers, with only these attributes; missing records are skipped.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`.
  /// - Complexity: O(n log n); only the columns of the attributes are read.
  package func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try snapshots(for: identifiers) { try $0.projection(attributes) }
  }

  private func snapshots(
    for identifiers: [PersistentIdentifier],
    as projection: (EntityTable) throws -> EntityTable.Projection
  ) rethrows -> [PersistentIdentifier: DefaultSnapshot] {
    if identifiers.count == 1, let only = identifiers.first {
      return try snapshot(of: only, as: projection).map { [only: $0] } ?? [:]
    }
    var rows: [Int: [Int32]] = [:]
    for identifier in identifiers {
      guard let place = place(of: identifier.entityName) else { continue }
      if let row = tables[place].row(of: identifier) {
        rows[place, default: []].append(Int32(row))
      } else if rows[place] == nil {
        // Attributes are checked even if none of the records exist.
        rows[place] = []
      }
    }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    found.reserveCapacity(identifiers.count)
    for (place, rows) in rows {
      let table = tables[place]
      for snapshot in table.snapshots(at: rows, as: try projection(table)) {
        found[snapshot.persistentIdentifier] = snapshot
      }
    }
    return found
  }

  /// The record with an identifier; nil if it does not exist.
  package func snapshot(of identifier: PersistentIdentifier) -> DefaultSnapshot? {
    guard let place = place(of: identifier.entityName),
      let row = tables[place].row(of: identifier)
    else { return nil }
    return tables[place].snapshot(at: row)
  }

  /// The records for which a comparison with `=` holds, in order, if an index that exists finds a few; nil otherwise.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`.
  package func fewSnapshots(of entity: String, where name: String, equals value: Value) throws
    -> [DefaultSnapshot]?
  {
    guard let place = place(of: entity),
      let rows = try tables[place].fewRows(where: name, equals: value)
    else { return nil }
    return rows.map { tables[place].snapshot(at: Int($0)) }
  }

  private func snapshot(
    of identifier: PersistentIdentifier,
    as projection: (EntityTable) throws -> EntityTable.Projection
  ) rethrows -> DefaultSnapshot? {
    guard let place = place(of: identifier.entityName) else { return nil }
    let table = tables[place]
    // Attributes are checked even if the record does not exist.
    let columns = try projection(table)
    return table.row(of: identifier).map { table.snapshot(at: $0, as: columns) }
  }

  /// The records whose identifier's text has this prefix, up to a limit, of one entity or of all.
  ///
  /// There are none for an unknown entity.
  ///
  /// - Complexity: O(n) for the first few times, then O(log n) until rows change.
  package func identifiers(
    withPrefix prefix: String,
    entityName: String?,
    limit: Int
  ) -> [PersistentIdentifier] {
    var found: [PersistentIdentifier] = []
    for table in tables where entityName == nil || table.entity.name == entityName {
      if found.count >= limit { break }
      found += table.identifiers(withPrefix: prefix, limit: limit - found.count)
    }
    return found
  }

  /// The table of an entity.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`.
  func entityTable(named name: String) throws -> EntityTable {
    tables[knownPlace(try schema.entity(named: name).name)]
  }

  private func place(for query: Query) throws -> Int {
    let entity = try schema.entity(named: query.entityName)
    for name in query.attributes ?? [] { _ = try entity.attribute(named: name) }
    guard query.offset >= 0, query.limit ?? 0 >= 0 else {
      throw PersistenceError(.invalidFilter, "limit and offset must not be negative")
    }
    return knownPlace(entity.name)
  }
}

extension RecordTable {
  /// The number of an entity's rows scanned for values and keys since the rows changed.
  package func lookupWork(of entity: String) -> Int {
    place(of: entity).flatMap { tables[$0].lookups?.work } ?? 0
  }
}

extension EntityTable {
  func slot(of name: String) throws -> Int {
    if let slot = entity.layout.slot(of: name) { return slot }
    _ = try entity.attribute(named: name)
    preconditionFailure("every attribute has a slot")
  }

  /// The live rows that match.
  func selection(_ filter: Filter) throws -> Bitmap { filter == .all ? live : try select(filter) }

  /// The matching rows in order, within limit and offset.
  func rows(matching query: Query) throws -> [Int32] {
    if query.sort.isEmpty, case .compare(let name, .equal, let value) = query.filter,
      let rows = try fewRows(where: name, equals: value)
    {
      return Array(rows[query.window(of: rows.count)])
    }
    let selected = try selection(query.filter)
    let keys = try query.sort.map { (slot: try slot(of: $0.attribute), key: $0) }
    let count = selected.populationCount
    let window = query.window(of: count)
    if keys.isEmpty { return rowsInNaturalOrder(selected, window) }
    let rows = rowsInNaturalOrder(selected, 0..<count)
    let first = try RowSorter.sorted(rows, first: window.upperBound, by: keys, of: self)
    return Array(first[window])
  }

  /// The different values of a column, and how many rows have them.
  private struct ValueGroups {
    private let column: Column
    private(set) var groups: [(value: Value, count: Int)] = []
    private var index = HashIndex(capacity: 64)
    private(set) var nulls = 0

    init(_ column: Column) { self.column = column }

    mutating func add(_ row: Int) {
      if column.isNull(row) {
        nulls += 1
        return
      }
      let hash = column.hash(at: row)
      if let group = index.row(hash: hash, where: { column.holds(groups[$0].value, at: row) }) {
        groups[group].count += 1
        return
      }
      if index.isFull {
        index = HashIndex(capacity: 4 * groups.count)
        for (place, group) in groups.enumerated() {
          index.insert(place, hash: Column.hash(of: group.value))
        }
      }
      index.insert(groups.count, hash: hash)
      groups.append((column.value(at: row), 1))
    }
  }

  /// How often each value of a column occurs in the selected rows; nulls are counted as null.
  ///
  /// - Complexity: O(n); a value is made for each different one.
  func valueCounts(slot: Int, in selected: Bitmap) throws -> [Value: Int] {
    var found = ValueGroups(columns[slot])
    var counts: [Value: Int] = [:]
    do {
      let counter = WorkCounter(of: selected.populationCount)
      try selected.forEach { row in
        try counter.add()
        found.add(row)
      }
      if found.nulls > 0 { counts[.null] = found.nulls }
      counts.reserveCapacity(found.groups.count + 1)
      var meter = WorkMeter()
      for group in found.groups {
        try meter.count()
        counts[group.value, default: 0] += group.count
      }
      return counts
    } catch {
      Leftovers.release((found, counts))
      (found, counts) = (ValueGroups(columns[slot]), [:])
      throw error
    }
  }

  /// Count, extremes and sums of the selected rows of a column.
  ///
  /// - Complexity: O(n); a value is made for each different one, and for each number.
  func summary(slot: Int, in selected: Bitmap) throws -> ValueSummary {
    var summary = ValueSummary()
    var meter = WorkMeter()
    guard columns[slot].kind == .number else {
      var counts = try valueCounts(slot: slot, in: selected)
      do {
        for (value, count) in counts {
          try meter.count()
          summary.add(value, count: count)
        }
      } catch {
        Leftovers.release((counts, summary))
        (counts, summary) = ([:], ValueSummary())
        throw error
      }
      return summary
    }
    let column = columns[slot]
    let rows = rowsInNaturalOrder(selected, 0..<selected.populationCount)
    for row in rows {
      try meter.count()
      summary.add(column.value(at: Int(row)))
    }
    return summary
  }

  /// The selected rows between two positions.
  private func rowsInNaturalOrder(_ selected: Bitmap, _ window: Range<Int>) -> [Int32] {
    var rows: [Int32] = []
    rows.reserveCapacity(window.count)
    if let order, let lookups, window.upperBound < rowCount / 32,
      selected.populationCount < rowCount / 32
    {
      let ranks = lookups.ranks(in: order)
      selected.forEach { rows.append(Int32($0)) }
      rows.sort { ranks[Int($0)] < ranks[Int($1)] }
      return Array(rows[window])
    }
    if let order {
      var place = 0
      for row in order where selected[Int(row)] {
        if place >= window.upperBound { break }
        if place >= window.lowerBound { rows.append(row) }
        place += 1
      }
      return rows
    }
    var passed = 0
    for (place, word) in selected.words.enumerated() where word != 0 {
      if passed >= window.upperBound { break }
      let count = word.nonzeroBitCount
      if passed + count > window.lowerBound {
        var rest = word
        while rest != 0 {
          if window.contains(passed) { rows.append(Int32(place << 6 | rest.trailingZeroBitCount)) }
          rest &= rest &- 1
          passed += 1
        }
      } else {
        passed += count
      }
    }
    return rows
  }

  fileprivate func identifiers(withPrefix text: String, limit: Int) -> [PersistentIdentifier] {
    if !text.isEmpty, let order = lookups?.order(of: keys) {
      var rows: [Int] = []
      order.forEachRow(beginningWith: text, in: keys) { row in
        if live[row] { rows.append(row) }
        return rows.count < limit
      }
      return rows.sorted().map { keys[$0] }
    }
    var found: [PersistentIdentifier] = []
    struct Done: Error {}
    func keep(_ row: Int) throws(Done) {
      found.append(keys[row])
      if found.count >= limit { throw Done() }
    }
    do {
      if keys.kind == .record {
        guard let prefix = RecordKey.Prefix(text) else { return [] }
        try forEachRow { row in
          let key = keys.pairs[row]
          if prefix.matches(milliseconds: key.high, sequence: key.low) { try keep(row) }
        }
      } else {
        try forEachRow { row in if keys[row].hasPrefix(text) { try keep(row) } }
      }
    } catch {
      assert(found.count == limit, "the search ends early at the limit only")
    }
    return found
  }
}
