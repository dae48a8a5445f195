/// The values that commands have read of the records of a save, and on which its changes rest.
struct ReadValues {
  private let read: [RecordFields]
  var isEmpty: Bool { read.isEmpty }

  init(_ read: [RecordFields]) { self.read = read.filter { !$0.records.isEmpty } }

  /// Checks that no other program has changed one of them, as the changes have them.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`, or the error of the store.
  /// - Complexity: O(n) in the number of changed records, for each set of fields.
  func check(_ changes: ChangeSet, _ reading: StagedReading, _ steps: [SchemaStep]) throws {
    for read in read {
      var before: [PersistentIdentifier: DefaultSnapshot] = [:]
      for update in changes.updated where read.records.contains(update.persistentIdentifier) {
        before[update.persistentIdentifier] = update.before
      }
      if before.isEmpty { continue }
      guard steps.isEmpty else {
        try reading.forEachPage(Query(read.entityName), steps) { page in
          for snapshot in page.snapshots(in: 0..<page.count) { try check(snapshot, before, read) }
        }
        continue
      }
      for snapshot in try reading.snapshots(Array(before.keys), read.fields).values {
        try check(snapshot, before, read)
      }
    }
  }

  private func check(
    _ snapshot: DefaultSnapshot,
    _ before: [PersistentIdentifier: DefaultSnapshot],
    _ read: RecordFields
  ) throws {
    let identifier = snapshot.persistentIdentifier
    guard let before = before[identifier] else { return }
    for field in read.fields {
      guard let now = snapshot[field], let value = before[field], now != value else { continue }
      throw PersistenceError(
        .conflict,
        "\(identifier.entityName).\(field): changed by another program to \(Value.quoted(now.text)) (record "
          + "\(identifier)), but unsaved changes were made for \(Value.quoted(value.text))"
      )
    }
  }
}
