/// The values that commands have read of the records of a save, and on which its changes rest.
struct ReadValues {
  private var groups: [(read: RecordFields, before: [PersistentIdentifier: DefaultSnapshot])]
  var isEmpty: Bool { groups.isEmpty }

  /// Finds the values in the changes as they were read.
  ///
  /// - Complexity: O(n m) for n changed records and m sets of fields.
  init(_ read: [RecordFields], in changes: ChangeSet) {
    groups = read.map { ($0, [:]) }
    if read.isEmpty { return }
    for update in changes.updated {
      for place in groups.indices
      where groups[place].read.records.contains(update.persistentIdentifier) {
        groups[place].before[update.persistentIdentifier] = update.before
      }
    }
    groups.removeAll(where: \.before.isEmpty)
  }

  /// Checks that no other program has changed one of them.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`, or the error of the store.
  func check(_ reading: StagedReading, _ steps: [SchemaStep]) throws {
    for (read, before) in groups {
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
