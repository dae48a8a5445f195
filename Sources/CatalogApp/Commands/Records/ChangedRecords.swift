import OpenSwiftData

/// Unsaved changes or a transaction for people: a heading for each record, and below it a line for each value.
struct ChangedRecords {
  /// A changed record with its values.
  struct Entry: Hashable, Sendable {
    /// `+`, `~` or `-`; `schema` for a change of the schema.
    let sign: String
    /// The record; nil for a change of the schema.
    let record: PersistentIdentifier?
    /// Its title, or the change of the schema.
    let title: String
    let lines: [String]

    /// The sign, the entity, the identifier and the title.
    var heading: String {
      guard let record else { return "\(sign): \(title)" }
      return "\(sign) \(record.entityName) \(record)" + (title.isEmpty ? "" : " \(title)")
    }
  }

  private let schema: Schema
  private let converted: ConvertedValues
  /// The length at which long texts are cut.
  private static let longest = 4000
  /// The number of lines of a text, or of a part that differs, that are shown.
  private static let mostLines = 100

  /// Describes changes; the values that conversions have changed are left out.
  init(_ schema: Schema, besides converted: ConvertedValues) {
    self.schema = schema
    self.converted = converted
  }

  /// The records, new ones first and deleted ones last.
  func entries(of changes: ChangeSet) -> [Entry] {
    changes.inserted.map { entry("+", $0, values(of: $0)) }
      + changes.updated.map { entry("~", $0.after, differences(of: $0)) }
      + changes.deleted.map { entry("-", $0, []) }
  }

  private func entry(_ sign: String, _ snapshot: DefaultSnapshot, _ lines: [String]) -> Entry {
    Entry(
      sign: sign,
      record: snapshot.persistentIdentifier,
      title: schema.title(of: snapshot),
      lines: lines
    )
  }

  /// The values that a new record will have, without the missing ones.
  private func values(of snapshot: DefaultSnapshot) -> [String] {
    zip(snapshot.layout.names, snapshot.orderedValues).flatMap { name, value -> [String] in
      guard !value.isNull else { return [] }
      if let lines = self.lines(of: value) {
        return ["\(name):"] + Self.shown(lines[...]).map { "  " + $0 }
      }
      return ["\(name): \(text(value, of: name, in: snapshot))"]
    }
  }

  private func differences(of update: RecordUpdate) -> [String] {
    let before = update.before.arranged(as: update.after.layout)
    return update.after.layout.names.enumerated().flatMap { slot, name -> [String] in
      let (old, new) = (before.orderedValues[slot], update.after.orderedValues[slot])
      guard old != new, converted.conversion(slot: slot, of: update) == nil else { return [] }
      let (former, present) = (lines(of: old), lines(of: new))
      if former != nil || present != nil {
        func single(_ value: Value) -> [String] { value.isNull ? [] : [value.text] }
        let differences = Self.differences(
          from: former ?? single(old),
          to: present ?? single(new)
        )
        return ["\(name):"] + differences.map { "  " + $0 }
      }
      return ValueChange.all(of: name, from: old, to: new).map { change in
        change.text { text($0, of: name, in: update.after) }
      }
    }
  }

  /// The lines of a text that has several; nil for any other value.
  private func lines(of value: Value) -> [String]? {
    guard case .text(let text) = value, text.contains(where: \.isNewline) else { return nil }
    return text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
  }

  /// The first lines, none of them too long, and how many there are besides.
  private static func shown(_ lines: ArraySlice<String>, _ sign: String = "") -> [String] {
    let rest = lines.count - mostLines
    return lines.prefix(mostLines).map { sign + $0.prefix(longest) }
      + (rest > 0 ? ["\(sign)… \(counted(rest, "more line"))"] : [])
  }

  /// The lines that two texts do not have in common, and how many equal ones are around them.
  private static func differences(from former: [String], to present: [String]) -> [String] {
    let most = min(former.count, present.count)
    let start = (0..<most).first { former[$0] != present[$0] } ?? most
    let end =
      (0..<(most - start)).first {
        former[former.count - 1 - $0] != present[present.count - 1 - $0]
      }
      ?? most - start
    func equal(_ count: Int) -> [String] {
      count > 0 ? ["… \(counted(count, "equal line"))"] : []
    }
    return equal(start) + shown(former[start..<(former.count - end)], "- ")
      + shown(present[start..<(present.count - end)], "+ ") + equal(end)
  }

  private func text(_ value: Value, of name: String, in snapshot: DefaultSnapshot) -> String {
    let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName]
    if let field = entity?.fieldsByName[name], field.isBlob { return field.shownText(of: value) }
    let text = value.isNull ? "null" : value.text
    let start = text.prefix(Self.longest)
    let shown = start.endIndex < text.endIndex ? "\(start)…" : text
    if case .text = value { return "\"\(shown)\"" }
    return shown
  }
}

extension ChangeReport {
  /// The unsaved changes in words: those of the schema, then the records, up to about so many lines.
  ///
  /// - Parameters:
  ///   - changes: The changes, with the former values of converted fields.
  ///   - steps: The changes of the schema.
  ///   - most: The number of lines.
  /// - Returns: The changes, and how many there are.
  func changedRecords(_ changes: ChangeSet, by steps: [SchemaStep], most: Int) -> (
    entries: [ChangedRecords.Entry], count: Int
  ) {
    let converted = ConvertedValues(by: steps, today: clock.today)
    var entries = converted.words(in: changes).map {
      ChangedRecords.Entry(sign: "schema", record: nil, title: $0, lines: [])
    }
    var told = changes
    if !converted.isEmpty {
      told.updated.removeAll { Self.text(of: $0, besides: converted).isEmpty }
    }
    let count = entries.count + told.count
    var lineCount = entries.count
    for entry in ChangedRecords(schema, besides: converted).entries(of: told.first(most)) {
      guard lineCount < most else { break }
      entries.append(entry)
      lineCount += 1 + entry.lines.count
    }
    return (entries, count)
  }
}

extension ChangeSet {
  /// The first changes.
  func first(_ count: Int) -> ChangeSet {
    var left = count
    func some<Change>(_ changes: [Change]) -> [Change] {
      defer { left -= min(left, changes.count) }
      return Array(changes.prefix(left))
    }
    return ChangeSet(inserted: some(inserted), updated: some(updated), deleted: some(deleted))
  }
}
