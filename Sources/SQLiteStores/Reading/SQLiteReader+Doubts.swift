package import OpenSwiftData
import SQL
import Stores
import Synchronization

/// Finding out whether a key is still on the record that was read under it.
///
/// Another program may delete a row and give its number to another one, or renumber the rows. The rule is that of
/// files without identifiers for a column that counts. Of the former version of a table only the records are known that
/// were read: a row with all of their other values under another key is the moved record.
extension SQLiteReader {
  /// Why records, as they were read, may be other ones now, given those that are stored.
  ///
  /// - Complexity: O(n) in the number of values; if records have other values now, that of reading their tables.
  func doubts(
    about records: some Sequence<DefaultSnapshot>,
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> [PersistentIdentifier: RecordDoubt] {
    var found: [PersistentIdentifier: RecordDoubt] = [:]
    let changed = try changed(records, stored)
    for (name, records) in changed.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[name] else { continue }
      let records = records.map(table.entity.arranged)
      let equal = try equalRows(records, in: table)
      for record in records {
        let identifier = record.persistentIdentifier
        let (now, others) = (stored[identifier], equal[identifier] ?? [])
        found[identifier] =
          table.keyMeaning == .place
          ? doubt(aboutRow: record, now, others) : doubt(about: record, now, others, in: table)
      }
    }
    return found
  }

  /// Those of the records that have other values now or are gone, of the entities whose keys are checked.
  private func changed(
    _ records: some Sequence<DefaultSnapshot>,
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> [String: [DefaultSnapshot]] {
    let checked = tables.filter { $0.value.keyMeaning != .sure }
    if checked.isEmpty { return [:] }
    var changed: [String: [DefaultSnapshot]] = [:]
    var meter = WorkMeter()
    for record in records {
      try meter.count()
      let identifier = record.persistentIdentifier
      if stored[identifier] == record || checked[identifier.entityName] == nil { continue }
      changed[identifier.entityName, default: []].append(record)
    }
    return changed
  }

  /// The doubt about a row of a table without a key, which all values must tell.
  ///
  /// - Parameters:
  ///   - record: The row as it was read.
  ///   - stored: The row that has its number now.
  ///   - equal: The rows with other numbers that have all of its values.
  /// - Returns: The doubt; nil if there is none.
  private func doubt(
    aboutRow record: DefaultSnapshot,
    _ stored: DefaultSnapshot?,
    _ equal: [PersistentIdentifier]
  ) -> RecordDoubt? {
    if stored == nil, equal.isEmpty { return nil }
    return RecordDoubt(
      stored == nil
        ? "no row has number \(record.persistentIdentifier) now; another one has all of its values"
        : "the row has other values, and may be another row, because the table has no key",
      candidate: equal.first
    )
  }

  /// The doubt about a record of a table whose keys are numbers.
  ///
  /// - Parameters:
  ///   - record: The record as it was read.
  ///   - stored: The record that has its key now.
  ///   - equal: The rows that have all of its other values.
  ///   - table: The table.
  /// - Returns: The doubt; nil if there is none.
  private func doubt(
    about record: DefaultSnapshot,
    _ stored: DefaultSnapshot?,
    _ equal: [PersistentIdentifier],
    in table: TableDescription
  ) -> RecordDoubt? {
    let slots = table.tellingSlots
    let other = equal.count == 1 ? equal[0] : nil
    let isContradicted =
      stored.map {
        RecordLikeness($0.orderedValues, record.orderedValues, in: slots).contradictsNames
      } ?? false
    let reason: RecordFate.Reason? =
      switch (stored, other) {
      case (nil, nil): nil
      case (nil, _): .changedKey
      case (_, nil): isContradicted ? .onlyKey : nil
      default: .contradiction
      }
    let fields = table.keyPlaces.map { table.columns[$0].field.name }
    return reason.map { RecordDoubt($0.words(fields, of: record), candidate: other) }
  }

  /// The numbers of values in one statement.
  private static let valueLimit = 8_000

  /// For each of some records, the rows that have all of its other values under another key.
  private func equalRows(
    _ records: [DefaultSnapshot],
    in table: TableDescription
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let slots = table.tellingSlots
    var rows: [[Value]: [PersistentIdentifier]] = [:]
    func values(_ record: DefaultSnapshot) -> [Value] { slots.map { record.orderedValues[$0] } }
    let isByPlace = table.keyMeaning == .place
    let telling = records.filter { record in
      isByPlace
        ? slots.contains { !record.orderedValues[$0].isNull } : record.isTelling(slots)
    }
    // A comparison of rows finds none with a missing value.
    let groups = Dictionary(grouping: telling) { record in
      slots.filter { !record.orderedValues[$0].isNull }
    }
    for (present, records) in groups {
      let names = present.map { table.columns[$0].name.quotedName }.joined(separator: ", ")
      try records.forEachBatch(of: max(1, Self.valueLimit / present.count)) { batch in
        // No row has a value that its column cannot keep, as after a change of its type.
        let wanted = batch.compactMap { record -> SQLText? in
          let stored = present.compactMap { try? table.stored(record, $0) }
          return stored.count == present.count ? "(\(stored))" : nil
        }
        if wanted.isEmpty { return }
        let all = Array(table.columns.indices)
        let condition: SQLText = "(\(names)) IN (VALUES " + .joined(wanted, by: ", ") + ")"
        let sql = try table.select(all, where: condition)
        try forEachSnapshot(sql, table, all, table.entity.layout) { row in
          rows[values(row), default: []].append(row.persistentIdentifier)
        }
      }
    }
    var found: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for record in telling {
      let identifier = record.persistentIdentifier
      found[identifier] = rows[values(record)]?.filter { $0 != identifier }
    }
    return found
  }
}

extension DefaultSnapshot {
  /// True if the values of some fields say which record it is: one that is not a number, or several numbers.
  fileprivate func isTelling(_ slots: [Int]) -> Bool {
    let texts = slots.map { orderedValues[$0].spelledAlike }.filter { !$0.isEmpty }
    return texts.count > 1 || texts.contains { SpelledNumber($0.utf8) == nil }
  }
}

extension SQLiteStore: KeyCheckingStore {
  package func checksKeys(of entityName: String) -> Bool {
    session.withLock { ($0.tables[entityName]?.keyMeaning ?? .sure) != .sure }
  }

  package func doubts(about records: [DefaultSnapshot]) throws -> [PersistentIdentifier:
    RecordDoubt]
  {
    try reading { session in
      let own = records.filter { session.tables[$0.persistentIdentifier.entityName] != nil }
      return try session.doubts(about: own)
    }
  }

  package func doubts(aboutSaved identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: RecordDoubt]
  {
    try reading { session in try session.doubts(about: session.lastSaved(identifiers)) }
  }
}

extension SQLiteSession {
  /// Why records, as they were read, may be other ones now.
  ///
  /// - Throws: The error of a database that cannot be read.
  func doubts(about records: [DefaultSnapshot]) throws -> [PersistentIdentifier:
    RecordDoubt]
  {
    let checked = records.filter {
      (tables[$0.persistentIdentifier.entityName]?.keyMeaning ?? .sure) != .sure
    }
    if checked.isEmpty { return [:] }
    let identifiers = checked.map(\.persistentIdentifier)
    let stored = try reader.snapshots(for: identifiers, attributes: nil)
    return try reader.doubts(about: checked, stored)
  }

  /// The records as they were after the last transactions that have changed them, if other programs have saved since.
  fileprivate func lastSaved(_ identifiers: [PersistentIdentifier]) throws -> [DefaultSnapshot] {
    let checked = Set(
      identifiers.filter { (tables[$0.entityName]?.keyMeaning ?? .sure) != .sure }
    )
    if checked.isEmpty { return [] }
    let transactions = try database.transactions(after: nil, touching: nil)
    guard transactions.contains(where: \.isExternal) else { return [] }
    var last: [PersistentIdentifier: DefaultSnapshot] = [:]
    for transaction in transactions where !transaction.isExternal {
      for record in transaction.changes.inserted + transaction.changes.updated.map(\.after)
      where checked.contains(record.persistentIdentifier) {
        last[record.persistentIdentifier] = record
      }
    }
    return Array(last.values)
  }
}
