package import OpenSwiftData

/// A transaction in the history of one record, or its unsaved changes.
package struct HistoryEntry: Hashable, Sendable {
  /// The token for reverting to it; nil for unsaved changes.
  package let token: Int64?
  /// When; null for unsaved changes.
  package let time: Value
  /// By whom; null if that is not known.
  package let author: Value
  /// When and by whom, and the message.
  package let title: String
  /// The changes, one line for each field.
  package let lines: [Line]

  /// A change of one field, or a new or deleted record.
  package struct Line: Hashable, Sendable {
    /// The values before and after.
    package let text: String
    /// The field that was changed, with its value before; nil for a new or deleted record.
    package var former: FormerValue?
  }

  /// The value that a field had.
  package struct FormerValue: Hashable, Sendable {
    package let field: String
    package let value: Value
  }
}

extension HistoryEntry {
  /// Describes how changes affect a record, in lines of so many cells; nil if they do not.
  init?(
    token: Int64?,
    time: Value = .null,
    author: String? = nil,
    title: String,
    _ changes: ChangeSet,
    _ converted: ConvertedValues,
    of identifier: PersistentIdentifier,
    width: Int
  ) {
    var lines: [Line] = []
    for update in changes.updated where update.persistentIdentifier == identifier {
      for slot in update.changedSlots {
        lines += Self.lines(of: update, slot, converted, width)
      }
    }
    for (snapshots, word) in [(changes.inserted, "added"), (changes.deleted, "deleted")] {
      for snapshot in snapshots where snapshot.persistentIdentifier == identifier {
        lines += Self.lines(of: snapshot, word, width)
      }
    }
    guard !lines.isEmpty else { return nil }
    self.token = token
    self.time = time
    self.author = author.map { .text($0) } ?? .null
    self.title = title
    self.lines = lines
  }

  /// The lines for one field of a changed record: one for each part of its JSON that differs.
  private static func lines(
    of update: RecordUpdate,
    _ slot: Int,
    _ converted: ConvertedValues,
    _ width: Int
  ) -> [Line] {
    let name = update.after.layout.names[slot]
    let (before, after) = (update.before.orderedValues[slot], update.after.orderedValues[slot])
    if let change = converted.conversion(slot: slot, of: update), !after.isNull {
      return [Line(text: "\(name): \(change.words), \(text(after, width))")]
    }
    return ValueChange.all(of: name, from: before, to: after).map { change in
      // Each value gets half of what the name and the arrow leave.
      let room = max(20, (width - DisplayText(change.name).width - 5) / 2)
      return Line(
        text: change.text { text($0, room) },
        former: FormerValue(field: name, value: before)
      )
    }
  }

  /// The lines for a new or deleted record: all values on one, or on a line each if that is too long.
  private static func lines(of snapshot: DefaultSnapshot, _ word: String, _ width: Int) -> [Line] {
    let values = zip(snapshot.layout.names, snapshot.orderedValues).filter { !$0.1.isNull }
    let texts = values.map { name, value in
      "\(name): \(text(value, max(20, width - DisplayText(name).width - 4)))"
    }
    let line = word + " with " + texts.joined(separator: ", ")
    guard texts.count > 1, DisplayText(line).width > width else { return [Line(text: line)] }
    return [Line(text: "\(word) with \(texts[0])")]
      + texts.dropFirst().map { Line(text: "  " + $0) }
  }

  private static func text(_ value: Value, _ width: Int) -> String {
    ValueText(value, clippedTo: width).text.plain
  }
}
