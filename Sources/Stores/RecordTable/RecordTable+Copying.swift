import OpenSwiftData

/// Copies the records of a table into another store; columns without links are shared with it.
struct TableCopy {
  private let source: RecordTable
  private let storeIdentifier: String
  /// The identifiers of the copies of each entity's records, in natural order.
  private var keys: [KeyColumn] = []
  /// The positions of the rows in natural order; nil if a row's number is its position.
  private var positions: [[Int32]?] = []
  /// The number of links to records that do not exist, which the copy does not have.
  private(set) var lostLinks = 0

  /// Assigns the identifiers: those of the records, or new ones; nil if the keys to keep do not ascend.
  ///
  /// - Parameters:
  ///   - source: The records to copy.
  ///   - storeIdentifier: The store of the copies.
  ///   - keepsKeys: True to keep the keys of the records.
  ///   - generator: Makes the new keys.
  /// - Complexity: O(n) in the records.
  init?(
    _ source: RecordTable,
    storeIdentifier: String,
    keepsKeys: Bool,
    _ generator: inout RecordKeyGenerator
  ) {
    self.source = source
    self.storeIdentifier = storeIdentifier
    for table in source.tables {
      let scope = IdentifierScope(store: storeIdentifier, entity: table.entity.name)
      let rows = table.isInOrder ? nil : table.rowsInOrder()
      if keepsKeys {
        let kept = rows.map { table.keys.gathering($0) } ?? table.keys
        guard let moved = kept.count == 0 ? KeyColumn(scope: scope) : kept.moved(to: scope) else {
          return nil
        }
        keys.append(moved)
      } else {
        keys.append(Self.newKeys(table.liveCount, in: scope, &generator))
      }
      positions.append(rows.map { table.positions(of: $0) })
    }
  }

  private static func newKeys(
    _ count: Int,
    in scope: IdentifierScope,
    _ generator: inout RecordKeyGenerator
  ) -> KeyColumn {
    var pairs: [KeyColumn.Pair] = []
    pairs.reserveCapacity(count)
    for _ in 0..<count {
      let words = scope.identifier(key: generator.next()).words
      pairs.append(KeyColumn.Pair(high: words.high, low: words.low))
    }
    return KeyColumn(scope: scope, kind: .record, pairs: pairs)
  }

  /// True if the records satisfy the rules that a save checks: values that are required are there.
  ///
  /// False also where this is not known without comparing records, for unique values.
  ///
  /// - Complexity: O(n) in the records.
  static func isValid(_ table: RecordTable) -> Bool {
    table.tables.allSatisfy { table in
      let entity = table.entity
      guard table.uniqueSlots.isEmpty, table.constraintIndexes.isEmpty,
        entity.declaredConstraints.isEmpty
      else { return false }
      return entity.fields.indices.allSatisfy { slot in
        entity.fields[slot].isOptional || table.hasValues(slot)
      }
    }
  }

  /// The copy.
  ///
  /// - Complexity: O(n) in the links, and in the rows of tables with deleted ones.
  mutating func table() -> RecordTable {
    var copy = RecordTable(schema: source.schema, storeIdentifier: storeIdentifier)
    for place in source.tables.indices {
      let table = source.tables[place]
      let rows = positions[place] == nil ? nil : table.rowsInOrder()
      let columns = table.columns.map { column -> Column in
        let column = rows.map { column.gathering($0, isWide: column.isWide) } ?? column
        return column.layout == .link || column.layout == .links ? linked(column, place) : column
      }
      copy.tables[place].fill(keys[place], columns)
    }
    copy.finishChange()
    return copy
  }

  /// The column with links to the copies.
  private mutating func linked(_ column: Column, _ place: Int) -> Column {
    var result = Column(column.kind, isWide: column.isWide)
    let count = keys[place].count
    result.reserve(count)
    for row in 0..<count {
      switch column.value(at: row) {
      case .link(let link):
        if let copy = copy(of: link) {
          result.put(link: copy, at: row)
        } else {
          result.putNull(at: row)
        }
      case .links(let links): result.put(links: links.compactMap { copy(of: $0) }, at: row)
      default: result.putNull(at: row)
      }
    }
    return result
  }

  /// The identifier of a record's copy; nil, and counted, if the record does not exist.
  private mutating func copy(of link: PersistentIdentifier) -> PersistentIdentifier? {
    guard let place = source.place(of: link.entityName),
      let row = source.tables[place].row(of: link)
    else {
      lostLinks += 1
      return nil
    }
    return keys[place][positions[place].map { Int($0[row]) } ?? row]
  }
}

extension EntityTable {
  /// True if no record lacks a value of the attribute.
  fileprivate func hasValues(_ slot: Int) -> Bool {
    let column = columns[slot]
    guard column.isWide || !isInOrder else { return !column.nulls.hasBits(in: 0..<rowCount) }
    var isComplete = true
    live.forEach { row in
      if column.isNull(row) { isComplete = false }
    }
    return isComplete
  }
}

extension RecordTable {
  /// Reads the records of a store that has no table, some at a time; nil if they are not in the order of their keys.
  ///
  /// A table takes a fifth of the memory of as many snapshots.
  init?(copying source: any StagingStore) throws {
    self.init(schema: source.schema, storeIdentifier: source.identifier)
    for entity in source.schema.entities {
      var last: PersistentIdentifier?
      var isInOrder = true
      try source.forEachPage(matching: Query(entity.name)) { page in
        try Interruption.check()
        // The columns of a table have no room for values of other types.
        guard try source.schema.entity(named: entity.name) == entity else {
          throw entity.changedError
        }
        let records = page.snapshots
        for identifier in records.lazy.map(\.persistentIdentifier) {
          isInOrder = isInOrder && (last.map { $0 < identifier } ?? true)
          last = identifier
        }
        if isInOrder { apply(ChangeSet(inserted: records)) }
      }
      guard isInOrder else { return nil }
    }
  }
}
