import OpenSwiftData

extension RecordTable {
  /// The changes that turn the former table's records into these; nil if the entities differ.
  ///
  /// - Complexity: O(n) in the number of values.
  func changes(since former: RecordTable) -> ChangeSet? {
    guard schema.entities == former.schema.entities else { return nil }
    var changes = ChangeSet()
    for (place, table) in tables.enumerated() {
      let old = former.tables[place]
      old.forEachRow { row in
        if table.row(of: old.keys[row]) == nil { changes.deleted.append(old.snapshot(at: row)) }
      }
      table.forEachRow { row in
        guard let before = old.row(of: table.keys[row]) else {
          changes.inserted.append(table.snapshot(at: row))
          return
        }
        let isSame = table.columns.indices.allSatisfy {
          table.columns[$0].equals(row, old.columns[$0], before)
        }
        guard !isSame else { return }
        changes.updated.append(
          RecordUpdate(before: old.snapshot(at: before), after: table.snapshot(at: row))
        )
      }
    }
    return changes
  }

  /// Replaces the identifiers of an entity's records, row by row.
  ///
  /// - Precondition: There is one for each row, without duplicates, and no row is dead.
  mutating func replaceIdentifiers(of entity: String, _ identifiers: [PersistentIdentifier]) {
    tables[knownPlace(entity)].replaceKeys(identifiers)
    finishChange()
  }

  /// The keys and columns of an entity; nil for an unknown one.
  func table(of entity: String) -> EntityTable? { place(of: entity).map { tables[$0] } }
}

extension Column {
  /// True if both rows have the same value, null being equal to null.
  func equals(_ row: Int, _ other: Column, _ otherRow: Int) -> Bool {
    guard let place = place(of: row), !nulls[place] else { return other.isNull(otherRow) }
    guard !other.isNull(otherRow) else { return false }
    guard kind == other.kind, !isWide, !other.isWide else {
      return value(at: row) == other.value(at: otherRow)
    }
    switch layout {
    case .whole: return words[row] == other.words[otherRow]
    case .flag: return flags[row] == other.flags[otherRow]
    case .days: return days[row] == other.days[otherRow]
    case .bytes:
      return withText(at: row) { text in
        other.withText(at: otherRow) { text.count == $0.count && text.elementsEqual($0) }
      }
    default: return value(at: row) == other.value(at: otherRow)
    }
  }
}
