import OpenSwiftData

/// Waits for the user's editor, which has a line for each marked record with the value of one field.
///
/// The editor opens again, with the reason above the line, until each line is valid for its record, or the same lines come
/// back.
struct MarkedLinesScreen: Screen {
  /// The field in each record, in the order of the lines.
  private let fields: [(record: PersistentIdentifier, editor: FieldEditor)]
  /// The records as they were, if their keys can be on other ones after the editor has closed.
  private let rows: [PersistentIdentifier: DefaultSnapshot]
  /// The lines that explain what is wrong with the text that is edited.
  private var reasons: Set<String> = []
  /// The lines that were wrong the last time.
  private var rejected: [String]?
  /// A line that begins like this and was not changed is not a value.
  private static let mark = "# "

  var place: KeyPlace { CellAction.place }
  var answers: [Answer] { [.cancel] }

  /// Opens the editor with the values.
  ///
  /// - Returns: Nil if they cannot be edited as lines; the message line says why.
  init?(
    _ attribute: Schema.Attribute,
    _ found: ReadMarked.Reply,
    _ host: inout ScreenHost
  ) {
    rows = found.rows
    let screen = host
    fields = zip(found.records, found.values).map { record, value in
      let field = record.isTemporary ? attribute.ofNewRecord : attribute
      return (record, FieldEditor(field, value, screen))
    }
    if let long = fields.first(where: { $0.editor.editor.text.contains(where: \.isNewline) }) {
      host.fail("\(attribute.name): the value of \(long.record) has several lines; edit it alone")
      return nil
    }
    host.request(.edit(Self.text(fields.map(\.editor.editor.text))))
  }

  /// Each line has an end, because an editor does not show an empty last line without one.
  private static func text(_ lines: [String]) -> String {
    lines.map { $0 + "\n" }.joined()
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    event == .interrupt || event == .key(.escape) ? .close : .stay
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    guard case .edited(let text) = message else { return .stay }
    guard let text else {
      host.say("no change")
      return .close
    }
    return take(text, &host)
  }

  private mutating func take(_ text: String, _ host: inout ScreenHost) -> Transition {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    lines.removeAll { reasons.contains($0) }
    // A script in place of an editor may write the same lines every time.
    guard lines != rejected else {
      host.fail("no change: \(reasons.sorted().map { $0.dropFirst(Self.mark.count) }.first ?? "")")
      return .close
    }
    guard lines.count == fields.count else {
      let count = "\(fields.count) lines expected, one for each record, found \(lines.count)"
      return edit(lines, [0: count], &host)
    }
    var changes: [SetLines.Change] = []
    var problems: [Int: String] = [:]
    for (place, line) in lines.enumerated() {
      var editor = fields[place].editor
      guard line != editor.editor.text else { continue }
      editor.makeEmpty()
      if !line.isEmpty { editor.take(fromEditor: line) }
      if let problem = editor.lineProblem { problems[place] = problem }
      guard editor.isChanged else { continue }
      changes.append(
        .init(
          record: fields[place].record,
          shown: editor.original,
          new: editor.assignment,
          row: rows[fields[place].record]
        )
      )
    }
    guard problems.isEmpty else { return edit(lines, problems, &host) }
    guard !changes.isEmpty else {
      host.say("no change")
      return .close
    }
    host.perform(SetLines(changes: changes, keptCount: fields.count - changes.count))
    return .close
  }

  /// Opens the editor again, with a reason above each line that has one.
  private mutating func edit(
    _ lines: [String],
    _ problems: [Int: String],
    _ host: inout ScreenHost
  ) -> Transition {
    var text: [String] = []
    (reasons, rejected) = ([], lines)
    for place in 0...lines.count {
      if let problem = problems[place] {
        let reason = Self.mark + DisplayText(problem).plain
        reasons.insert(reason)
        text.append(reason)
      }
      if place < lines.count { text.append(lines[place]) }
    }
    host.request(.edit(Self.text(text)))
    return .stay
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {}
}

extension FieldEditor {
  /// The reason why a line is not valid for the field; nil if it is.
  fileprivate var lineProblem: String? {
    let meanings = meanings
    return meanings.isEmpty
      ? problem : "\(Value.quoted(editor.text)) can be \(meanings.words)"
  }
}

/// The values of a field of the marked records, to edit them as lines.
struct ReadMarked: Question {
  struct Reply: Hashable, Sendable {
    let records: [PersistentIdentifier]
    /// The value of each record.
    let values: [Value]
    /// The records whose keys another program can give to other ones.
    let rows: [PersistentIdentifier: DefaultSnapshot]
  }

  let field: String
  var work: String { "collecting records" }

  func answer(by reader: ListReader) throws -> Reply? {
    let session = reader.session
    let records = try session.context.present(reader.screenRecords()?.targets() ?? [])
    let isChecked = records.first.map { session.context.checksKeys(of: $0.entityName) } ?? false
    let snapshots = try session.context.snapshots(
      for: records,
      attributes: isChecked ? nil : [field]
    )
    return Reply(
      records: records,
      values: records.map { snapshots[$0]?[field] ?? .null },
      rows: isChecked ? snapshots : [:]
    )
  }
}

/// The marked records as a text for the clipboard: each is a line of tab-separated values.
struct CopyMarked: Question {
  struct Reply: Hashable, Sendable {
    let text: String
    /// What to report about it.
    let note: String
  }

  var work: String { "collecting records" }

  func answer(by reader: ListReader) throws -> Reply? {
    let session = reader.session
    let records = try session.context.present(reader.screenRecords()?.targets() ?? [])
    let snapshots = try session.context.snapshots(for: records)
    var text = ""
    for record in records {
      let values = snapshots[record]?.orderedValues ?? []
      text += values.map { RowEncoder.tabSeparated($0.text) }.joined(separator: "\t") + "\n"
    }
    let lacking = session.store.hiddenValuesNote(of: records).map { ", \($0)" } ?? ""
    return Reply(text: text, note: "copied \(reader.facts.marks.recordsText)" + lacking)
  }
}
