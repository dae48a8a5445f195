package import Foundation
import OpenSwiftData

/// The unsaved changes in the recovery file of a crashed run.
package struct RecoveryFileEdits: Sendable {
  /// The path of the file.
  package let path: String
  /// The time when the last of them was written.
  package let modified: Date
  /// The damage of the file, in words; nil if it is intact.
  let damage: String?
  private(set) var header: RecoveryHeader?
  /// The changes to each record, in the order in which the records were first changed.
  private(set) var edits: [RecoveryEdit]
  /// The changes of many records at once, in the order of the file.
  private(set) var groups: [Group]
  /// The intact lines.
  let lines: [String]
  /// The changes together with the attempts to save them; nil without such an attempt.
  private var contents: RecoveryContents?
  /// True if a save has written changes of the file, which are left out.
  private(set) var isSaved = false
  /// True if the store cannot tell whether a save has written the changes.
  private(set) var mayBeSaved = false
  /// Changes after that save of records that it inserted.
  private(set) var lost: [RecoveryEdit] = []

  /// A group of records, without those that changed in another way later.
  package struct Group: Sendable {
    let group: RecoveryGroup
    /// The indices of the records that have left it.
    let excluded: Set<Int>
    /// The number of records.
    let count: Int
  }

  /// Parses lines up to the first invalid one.
  package init(_ left: RecoveryFileLines) {
    (path, modified, lines) = (left.path, left.modified, left.lines)
    let decoder = JSONDecoder()
    var damage = left.damagedBytes > 0 ? "last \(left.damagedBytes) bytes damaged" : nil
    do {
      guard let first = left.lines.first else { throw RecoveryFileEditsError("no complete line") }
      let header = try decoder.decode(RecoveryHeader.self, from: Data(first.utf8))
      guard header.recovery == RecoveryHeader.currentFormat else {
        throw RecoveryFileEditsError(
          "format \(header.recovery) is not supported by this version"
        )
      }
      self.header = header
    } catch {
      self.header = nil
      (edits, groups) = ([], [])
      self.damage =
        (error as? RecoveryFileEditsError)?.description ?? "unreadable header line"
      return
    }
    var contents = RecoveryContents()
    for line in left.lines.dropFirst() {
      guard contents.take(line, decoder) else {
        // The checksum is valid, so a later version wrote the line.
        damage = "contains an unreadable line"
        break
      }
    }
    (edits, groups) = (contents.edits, contents.groups)
    if !contents.attempts.isEmpty { self.contents = contents }
    self.damage = damage
  }

  /// True if the store's file has another version than when the changes began.
  func isOutdated(_ version: String?) -> Bool { header?.version != version }

  /// Leaves out what a save has written.
  ///
  /// - Parameter isMade: Whether a save was made; nil if the store cannot tell.
  mutating func leaveOutSaved(_ isMade: (SaveTrace) -> Bool?) {
    guard var rest = contents else { return }
    for attempt in rest.attempts.reversed() {
      guard let isMade = isMade(attempt.trace) else {
        mayBeSaved = true
        continue
      }
      guard isMade else { continue }
      lost = rest.remove(savedBy: attempt)
      (edits, groups) = (rest.edits, rest.groups)
      // The steps are those of the first save: a change of the schema begins a new file.
      header?.steps = nil
      (isSaved, mayBeSaved, contents) = (true, false, nil)
      return
    }
  }

  /// The changes in words, one line each, as `changes` lists them; schema changes first.
  var descriptions: [String] {
    let told = ToldEdits(self)
    return told.schemaWords.map { "schema: \($0)" } + Self.descriptions(of: told.groups)
      + (told.edits + lost).map(\.description)
  }

  /// The groups in words, one line for those with the same change.
  private static func descriptions(of groups: [Group]) -> [String] {
    var lines: [(group: RecoveryGroup, count: Int)] = []
    for kept in groups {
      let place = lines.firstIndex {
        $0.group.entity == kept.group.entity && $0.group.changeWords == kept.group.changeWords
      }
      if let place {
        lines[place].count += kept.count
      } else {
        lines.append((kept.group, kept.count))
      }
    }
    return lines.map { "\($0.group.words($0.count)): \($0.group.changeWords)" }
  }

  /// The schema changes that the other changes depend on.
  var steps: [SchemaStep] { header?.steps ?? [] }
  /// The number of changes, as `changes` lists them.
  var count: Int {
    let told = ToldEdits(self)
    return told.schemaWords.count + told.edits.count + lost.count
      + told.groups.reduce(0) { $0 + $1.count }
  }
}

/// The changes in a recovery file as people are told of them: of the values of a converted field by its conversion.
private struct ToldEdits {
  /// The changes of the schema.
  let schemaWords: [String]
  /// The changes of records that are more than conversions.
  let edits: [RecoveryEdit]
  let groups: [RecoveryFileEdits.Group]

  init(_ found: RecoveryFileEdits) {
    var conversions = found.steps.conversions[...]
    var converted: [String: [String: Int]] = [:]
    for case (let entity, _, let field?) in conversions {
      converted[entity, default: [:]][field] = 0
    }
    /// Counts the values of converted fields; true if there are others.
    func hasOthers(_ fields: [String: RecoveryField], of entity: String, _ count: Int) -> Bool {
      guard let known = converted[entity] else { return true }
      for (name, field) in fields where known[name] != nil && field.after != nil {
        converted[entity]?[name]? += count
      }
      return !fields.keys.allSatisfy { known[$0] != nil }
    }
    edits = found.edits.filter { edit in
      edit.change != .update || hasOthers(edit.fields, of: edit.record.entity, 1)
    }
    groups = found.groups.filter { kept in
      kept.group.change != .update
        || hasOthers(kept.group.fields, of: kept.group.entity, kept.count)
    }
    schemaWords = found.steps.map { step in
      guard step.conversion != nil, let own = conversions.popFirst() else { return step.words }
      return step.words(ofValues: own.finalName.flatMap { converted[own.entity]?[$0] } ?? 0)
    }
  }
}

/// The reason why a recovery file cannot be read, as a clause.
private struct RecoveryFileEditsError: Error {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The offer at the start to recover unsaved changes, in words.
package struct RecoveryOffer: Hashable, Sendable {
  /// One sentence without a period: the number of changes and their time.
  package let title: String
  /// Details of the changes.
  package let details: [String]
  /// The edits, one line each.
  package let edits: [String]

  /// Warns of changes that may be in the store already.
  static let mayBeSaved =
    "a save was interrupted, and the store cannot tell whether it was made; look for new records that exist twice"

  /// Describes the changes; nil if there are none.
  init?(_ found: [RecoveryFileEdits], version: String?, store: String?) {
    let count = found.reduce(0) { $0 + $1.count }
    guard let latest = found.last, count > 0 else { return nil }
    let moment = Timestamp.text(of: latest.modified).replacing("T", with: " ").prefix(16)
    title = "\(counted(count, "unsaved change")) from \(moment) UTC"
    var details = found.map { "kept in " + $0.path }
    details += found.compactMap(\.damage).map { "incomplete recovery file: " + $0 }
    if found.contains(where: { $0.isOutdated(version) }) {
      details.append("the store has changed since; only changes that still apply will be recovered")
    }
    if found.contains(where: \.mayBeSaved) { details.append(Self.mayBeSaved) }
    // A store that was never saved has a different identifier each time.
    let isForeign = found.contains { edits in
      edits.header?.version != nil && store != nil && edits.header?.store != store
    }
    if isForeign { details.append("made in a different store") }
    self.details = details
    edits = found.flatMap(\.descriptions)
  }
}
