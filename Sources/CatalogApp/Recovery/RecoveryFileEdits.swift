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
  let header: RecoveryHeader?
  /// The changes to each record, in the order in which the records were first changed.
  let edits: [RecoveryEdit]
  /// The changes of many records at once, in the order of the file.
  let groups: [Group]
  /// The intact lines.
  let lines: [String]

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
    self.damage = damage
  }

  /// The changes in words, one line each; schema changes first.
  var descriptions: [String] {
    steps.map { "schema: \($0.words)" } + groupDescriptions + edits.map(\.description)
  }

  /// The groups in words, one line for those with the same change.
  private var groupDescriptions: [String] {
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
  /// The number of changes.
  var count: Int { steps.count + edits.count + groups.reduce(0) { $0 + $1.count } }
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

  /// Describes the changes; nil if there are none.
  init?(_ found: [RecoveryFileEdits], version: String?, store: String?) {
    let count = found.reduce(0) { $0 + $1.count }
    guard let latest = found.last, count > 0 else { return nil }
    let moment = Timestamp.text(of: latest.modified).replacing("T", with: " ").prefix(16)
    title = "\(Session.counted(count, "unsaved change")) from \(moment) UTC"
    var details = found.map { "kept in " + $0.path }
    details += found.compactMap(\.damage).map { "incomplete recovery file: " + $0 }
    if found.contains(where: { $0.header?.version != version }) {
      details.append("the store has changed since; only changes that still apply will be recovered")
    }
    // A store that was never saved has a different identifier each time.
    let isForeign = found.contains { edits in
      edits.header?.version != nil && store != nil && edits.header?.store != store
    }
    if isForeign { details.append("made in a different store") }
    self.details = details
    edits = found.flatMap(\.descriptions)
  }
}
