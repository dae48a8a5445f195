import Foundation
import OpenSwiftData

/// Reads the lines of a recovery file, of which later ones replace earlier ones about the same records.
struct RecoveryContents: Sendable {
  /// A save that was about to be written, and what it was to write.
  struct Attempt: Sendable {
    let trace: SaveTrace
    fileprivate let latest: [RecoveryLink: (edit: RecoveryEdit, place: Int)]
    fileprivate let latestGroups: [Int: (group: RecoveryGroup, place: Int)]
  }

  private var latest: [RecoveryLink: (edit: RecoveryEdit, place: Int)] = [:]
  private var order: [RecoveryLink] = []
  private var latestGroups: [Int: (group: RecoveryGroup, place: Int)] = [:]
  private var place = 0
  /// The attempts to save, oldest first.
  private(set) var attempts: [Attempt] = []

  /// Reads a line.
  ///
  /// - Returns: False if this version cannot read it.
  mutating func take(_ line: String, _ decoder: JSONDecoder) -> Bool {
    let data = Data(line.utf8)
    if line.hasPrefix(RecoveryAttempt.prefix) {
      // As below.
      guard let trace = try? decoder.decode(RecoveryAttempt.self, from: data).saving else {
        return false
      }
      attempts.append(Attempt(trace: trace, latest: latest, latestGroups: latestGroups))
      return true
    }
    guard line.hasPrefix(RecoveryBatch.prefix) else {
      // An unreadable line is reported by the caller.
      guard let edit = try? decoder.decode(RecoveryEdit.self, from: data) else { return false }
      take(edit)
      return true
    }
    // As above.
    guard let batch = try? decoder.decode(RecoveryBatch.self, from: data),
      batch.groups.allSatisfy({ $0.count != nil })
    else { return false }
    for edit in batch.edits { take(edit) }
    for number in batch.gone { latestGroups[number] = nil }
    place += 1
    for group in batch.groups { latestGroups[group.number] = (group, place) }
    return true
  }

  private mutating func take(_ edit: RecoveryEdit) {
    place += 1
    if latest.updateValue((edit, place), forKey: edit.record) == nil { order.append(edit.record) }
  }

  /// The changes of single records, in the order in which the records were first changed.
  var edits: [RecoveryEdit] {
    order.compactMap { latest[$0]?.edit }.filter { $0.change != .none }
  }

  /// The groups, in the order of the file.
  var groups: [RecoveryFileEdits.Group] {
    latestGroups.values.sorted { ($0.place, $0.group.number) < ($1.place, $1.group.number) }
      .compactMap { group, place in
        let excluded = excluded(from: group, at: place)
        let count = (group.count ?? 0) - excluded.count
        return count > 0 ? .init(group: group, excluded: excluded, count: count) : nil
      }
  }

  /// Removes what a save has written; later changes of the same records start from its values.
  ///
  /// - Returns: Changes of new records of the save, whose identifiers are not known.
  mutating func remove(savedBy attempt: Attempt) -> [RecoveryEdit] {
    latestGroups = latestGroups.filter { number, entry in
      attempt.latestGroups[number]?.group != entry.group
    }
    var lost: [RecoveryEdit] = []
    for (record, saved) in attempt.latest {
      guard let entry = latest[record] else { continue }
      if entry.edit == saved.edit || entry.edit.change == .none {
        latest[record] = nil
      } else if saved.edit.change == .insert {
        lost.append(entry.edit)
        latest[record] = nil
      } else {
        latest[record]?.edit.start(from: saved.edit)
      }
    }
    return lost.sorted { $0.record.key < $1.record.key }
  }

  /// The indices of the records that have a later line of their own.
  private func excluded(from group: RecoveryGroup, at place: Int) -> Set<Int> {
    // The keys are compared in a scope without a store, which may not be open yet.
    let scope = IdentifierScope(store: "", entity: group.entity)
    let later = latest.values.filter {
      $0.place > place && $0.edit.record.entity == group.entity && $0.edit.record.isNew != true
    }
    if later.isEmpty { return [] }
    let identifiers = Set(later.map { scope.identifier(parsing: $0.edit.record.key) })
    let all = group.identifiers(in: scope, parsing: scope.identifier(parsing:))
    return Set(all.indices.filter { identifiers.contains(all[$0]) })
  }
}

/// A line of a recovery file about a save, which is written immediately before its end.
struct RecoveryAttempt: Codable {
  /// What shows later whether the save was made.
  let saving: SaveTrace

  /// The beginning of such a line.
  static let prefix = "{\"saving\":"
}

extension RecoveryEdit {
  /// Replaces the values before the change by those that a save has written.
  fileprivate mutating func start(from saved: RecoveryEdit) {
    for (name, field) in saved.fields where fields[name]?.before == field.before {
      fields[name]?.before = field.after
    }
  }
}
