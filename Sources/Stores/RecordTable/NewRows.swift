import OpenSwiftData

/// The new records of a large save, as rows of a table of their own that satisfy all rules.
///
/// Every value of a change set is read once: it is checked when it is put into its column. The log writes these columns,
/// and the table of the store takes them over. New records that are columns already satisfy the rules for values.
struct NewRows: Sendable {
  /// The fewest records for which columns of their own are faster than rows.
  static let leastRecords = 256

  /// The records under their permanent identifiers.
  let table: RecordTable
  /// The permanent identifiers, in the order of the records in the save.
  let identifiers: [PersistentIdentifier]
  /// The records as they were passed to the save.
  private let source: Source

  private enum Source: Sendable {
    case snapshots([DefaultSnapshot])
    case columns(NewRecords)
  }

  /// The same as a change set.
  ///
  /// - Complexity: O(n).
  var changes: ChangeSet {
    var result = ChangeSet()
    switch source {
    case .snapshots(let records): result.inserted = records
    case .columns(let records): result.inserted = records.snapshots
    }
    for place in identifiers.indices {
      result.inserted[place].persistentIdentifier = identifiers[place]
    }
    return result
  }

  /// Makes rows of changes that only insert many new records; nil if that is not possible.
  ///
  /// It is not possible with links and in some tables, such as those with numbers for keys, and for records that
  /// break a rule: `RecordTable.validate(_:)` then finds the reason.
  ///
  /// - Complexity: O(n) in the values.
  init?(_ changes: ChangeSet, for target: RecordTable, using generator: inout RecordKeyGenerator) {
    guard changes.updated.isEmpty, changes.deleted.isEmpty,
      changes.inserted.count >= Self.leastRecords
    else { return nil }
    self.init(.snapshots(changes.inserted), target, &generator) { filling in
      changes.inserted.withUnsafeBufferPointer { filling.fill($0) }
    }
  }

  /// Takes over new records that are columns; nil if that is not possible, as with a change set.
  ///
  /// - Complexity: O(n) in the records, for their keys and unique values.
  init?(_ records: NewRecords, for target: RecordTable, using generator: inout RecordKeyGenerator) {
    guard records.count >= Self.leastRecords else { return nil }
    self.init(.columns(records), target, &generator) { $0.take(records) }
  }

  private init?(
    _ source: Source,
    _ target: RecordTable,
    _ generator: inout RecordKeyGenerator,
    filling fill: (inout NewRowsFilling) -> Bool
  ) {
    var filling = NewRowsFilling(target, generator)
    guard fill(&filling), let filled = filling.table() else { return nil }
    self.source = source
    table = filled
    identifiers = filling.identifiers
    generator = filling.generator
  }
}

extension RecordTable {
  /// Adds new rows that were made for this table.
  ///
  /// - Complexity: O(n), at the speed of copying.
  mutating func append(_ rows: NewRows) {
    for place in tables.indices where rows.table.tables[place].rowCount > 0 {
      let isAdopted = tables[place].adopt(rows.table.tables[place])
      precondition(isAdopted, "the keys of new rows follow those of the others")
    }
    finishChange()
  }
}

/// Fills columns with new records.
private struct NewRowsFilling {
  /// The rows of one entity.
  private struct Part {
    let entity: Schema.Entity
    let scope: IdentifierScope
    let isOptional: [Bool]
    var columns: [Column]
    var keys: [KeyColumn.Pair] = []

    init(_ table: EntityTable, capacity: Int) {
      entity = table.entity
      scope = table.keys.scope
      isOptional = table.entity.fields.map(\.isOptional)
      columns = table.entity.fields.map { Column($0.type) }
      for slot in columns.indices { columns[slot].reserve(capacity) }
      keys.reserveCapacity(capacity)
    }
  }

  private(set) var generator: RecordKeyGenerator
  private(set) var identifiers: [PersistentIdentifier] = []
  private let target: RecordTable
  private var parts: [Part?]

  init(_ target: RecordTable, _ generator: RecordKeyGenerator) {
    self.target = target
    self.generator = generator
    parts = target.tables.map { _ in nil }
    for table in target.tables { self.generator.note(table.keys.greatestKey) }
  }

  /// Adds the records; false if one of them cannot be a new row.
  mutating func fill(_ records: UnsafeBufferPointer<DefaultSnapshot>) -> Bool {
    identifiers.reserveCapacity(records.count)
    var start = 0
    while start < records.count {
      let first = records[start].persistentIdentifier
      var end = start
      // Neighbors of the same entity, as many as stay in the cache from one column to the next.
      while end < records.count, end - start < Bitmap.wordRows,
        records[end].persistentIdentifier.isTemporary,
        records[end].persistentIdentifier.identifierScope == first.identifierScope
      {
        end += 1
      }
      guard end > start, let place = target.place(of: first.entityName),
        target.tables[place].takesNewRows,
        add(UnsafeBufferPointer(rebasing: records[start..<end]), place, of: records.count)
      else { return false }
      start = end
    }
    return true
  }

  /// Takes over columns; false if their records cannot be new rows.
  mutating func take(_ records: NewRecords) -> Bool {
    guard let place = target.place(of: records.entity.name), target.tables[place].takesNewRows
    else {
      return false
    }
    var part = Part(target.tables[place], capacity: 0)
    guard part.entity.layout == records.entity.layout,
      zip(part.entity.fields, records.columns).allSatisfy({ field, column in
        field.type.kind == column.kind && (field.isOptional || column.nullCount == 0)
      })
    else { return false }
    part.columns = records.columns.map { Column($0) }
    addKeys(records.count, to: &part)
    parts[place] = part
    return true
  }

  private mutating func add(
    _ records: UnsafeBufferPointer<DefaultSnapshot>,
    _ place: Int,
    of total: Int
  ) -> Bool {
    // Moved out while it is filled: with two owners its arrays would be copied.
    var part = parts[place] ?? Part(target.tables[place], capacity: parts.count == 1 ? total : 0)
    parts[place] = nil
    let layout = part.entity.layout
    guard records.indices.allSatisfy({ records[$0].layout == layout }) else { return false }
    for slot in part.columns.indices {
      guard part.columns[slot].append(records, slot: slot, isOptional: part.isOptional[slot]) else {
        return false
      }
    }
    addKeys(records.count, to: &part)
    parts[place] = part
    return true
  }

  /// Generates keys for the rows that come next.
  private mutating func addKeys(_ count: Int, to part: inout Part) {
    let first = identifiers.count
    generator.appendKeys(count, in: part.scope, to: &identifiers)
    for identifier in identifiers[first...] {
      let words = identifier.words
      part.keys.append(KeyColumn.Pair(high: words.high, low: words.low))
    }
  }

  /// The rows; nil if an entity has few of them, or unique values that exist already.
  func table() -> RecordTable? {
    var table = RecordTable(schema: target.schema, storeIdentifier: target.storeIdentifier)
    for (place, part) in parts.enumerated() {
      guard let part else { continue }
      guard part.keys.count >= max(NewRows.leastRecords, part.columns.count),
        let indexes = target.tables[place].indexes(ofNew: part.columns, part.keys.count)
      else { return nil }
      let keys = KeyColumn(scope: part.scope, kind: .record, pairs: part.keys)
      table.tables[place].fill(keys, part.columns, uniqueIndexes: indexes)
    }
    table.finishChange()
    return table
  }
}

extension EntityTable {
  /// True if new rows can follow without being compared with others, except for unique attributes.
  fileprivate var takesNewRows: Bool {
    !isWide && constraintIndexes.isEmpty && keys.kind == .record && isAscending
      && entity.fields.allSatisfy { $0.type.destination == nil }
  }

  /// For each unique attribute the index of new rows by value; nil if a value is there twice.
  fileprivate func indexes(ofNew columns: [Column], _ count: Int) -> [HashIndex?]? {
    var indexes = uniqueIndexes.map { _ in HashIndex?.none }
    for slot in uniqueSlots {
      let column = columns[slot]
      var index = HashIndex(capacity: count + count / 2 + 1)
      for row in 0..<count where !column.nulls[row] {
        let hash = column.hash(at: row)
        let isKnown =
          index.row(hash: hash) { column.equals($0, column, row) } != nil
          || uniqueIndexes[slot]?.row(hash: hash) {
            live[$0] && self.columns[slot].equals($0, column, row)
          } != nil
        if isKnown { return nil }
        index.insert(row, hash: hash)
      }
      indexes[slot] = index
    }
    return indexes
  }
}
