import OpenSwiftData

/// What a command would change: it was performed and undone, and can be done again.
///
/// The changes are those of its undo step. There may be a million of them, so this is a class, which is not copied when it
/// is passed on.
package final class ChangePreview: Sendable {
  /// What happens to a value or to a record.
  enum Line {
    case refused(RefusedValue)
    case changed(UndoStep.RecordChange)
  }

  /// Makes it again.
  let again: AnyInstruction
  /// The command as it was typed.
  let line: String
  /// The changes; nil if there are none.
  let step: UndoStep?
  /// The values that cannot be computed, whose records stay as they are; they come first.
  let refused: [RefusedValue]
  /// The number of reports of other programs that were known to it.
  let reportCount: Int
  private let changes: UndoStep.RecordChanges?
  let insertedCount, updatedCount, deletedCount: Int
  /// True if records can be skipped: changes of links and of the schema belong together.
  let isDivisible: Bool

  /// - Complexity: O(n) in the number of changes.
  init(
    of line: String,
    _ step: UndoStep?,
    again: any Instruction,
    refused: [RefusedValue],
    reportCount: Int
  ) throws {
    (self.line, self.step, self.again) = (line, step, AnyInstruction(again))
    self.refused = refused
    self.reportCount = reportCount
    changes = step?.recordChanges
    var isDivisible = step?.changesSchema != true
    var counts = (inserted: 0, updated: 0, deleted: 0)
    var seen: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for place in 0..<(changes?.count ?? 0) {
      try meter.count()
      guard let change = changes?[place] else { continue }
      if isDivisible, change.values.contains(where: \.isLink) { isDivisible = false }
      let isFirst = seen.insert(change.record).inserted
      switch change {
      case .inserted: counts.inserted += 1
      case .deleted: counts.deleted += 1
      case .updated: counts.updated += isFirst ? 1 : 0
      }
    }
    (insertedCount, updatedCount, deletedCount) = counts
    self.isDivisible = isDivisible
  }

  /// The number of records that change or are refused.
  var recordCount: Int { insertedCount + updatedCount + deletedCount + refused.count }

  /// The number of lines.
  var count: Int { refused.count + (changes?.count ?? 0) }

  /// The line at a place; nil for a change of the schema.
  subscript(place: Int) -> Line? {
    place < refused.count
      ? .refused(refused[place]) : changes?[place - refused.count].map { .changed($0) }
  }

  /// `3 records change, 1 refused`.
  var words: String {
    let all = [
      (updatedCount, "\(counted(updatedCount)) \(updatedCount == 1 ? "changes" : "change")"),
      (insertedCount, "\(insertedCount.groupedDigits) new"),
      (deletedCount, "\(deletedCount.groupedDigits) deleted"),
      (refused.count, "\(refused.count.groupedDigits) refused"),
    ].filter { $0.0 > 0 }
    return all.isEmpty ? "nothing changes" : all.map(\.1).joined(separator: ", ")
  }

  /// The changes by records.
  ///
  /// - Complexity: O(n) in the number of changes.
  var changeSet: ChangeSet {
    var inserted: [PersistentIdentifier: DefaultSnapshot] = [:]
    var updated: [PersistentIdentifier: [(field: String, before: Value, after: Value)]] = [:]
    var order: [PersistentIdentifier] = []
    var set = ChangeSet()
    for place in 0..<(changes?.count ?? 0) {
      switch changes?[place] {
      case .inserted(let snapshot)?:
        order.append(snapshot.persistentIdentifier)
        inserted[snapshot.persistentIdentifier] = snapshot
      case .deleted(let snapshot)?:
        if inserted.removeValue(forKey: snapshot.persistentIdentifier) == nil {
          set.deleted.append(snapshot)
        }
      case .updated(let record, let field, let before, let after)?:
        if let slot = inserted[record]?.layout.slot(of: field) {
          inserted[record]?.orderedValues[slot] = after
        } else if let known = updated[record]?.firstIndex(where: { $0.field == field }) {
          updated[record]?[known].after = after
        } else {
          if updated[record] == nil { order.append(record) }
          updated[record, default: []].append((field, before, after))
        }
      case nil: break
      }
    }
    for record in order {
      if let snapshot = inserted[record] {
        set.inserted.append(snapshot)
      } else if let values = updated[record] {
        let layout = SnapshotLayout(values.map(\.field))
        func snapshot(_ values: [Value]) -> DefaultSnapshot {
          DefaultSnapshot(persistentIdentifier: record, layout: layout, orderedValues: values)
        }
        set.updated.append(
          RecordUpdate(before: snapshot(values.map(\.before)), after: snapshot(values.map(\.after)))
        )
      }
    }
    return set
  }
}

extension ChangePreview: Hashable {
  package static func == (left: ChangePreview, right: ChangePreview) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A value that a command could not compute.
struct RefusedValue: Hashable, Sendable {
  let record: PersistentIdentifier
  /// The field; nil if the record itself is refused.
  let field: String?
  let reason: String
}
