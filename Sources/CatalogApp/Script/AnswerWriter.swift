import OpenSwiftData

/// Writes the result of each command as one JSON object in a line, for programs.
package struct AnswerWriter {
  private let write: (String) throws -> Void

  /// Creates a writer that passes on each line with its end, and is expected to flush it.
  package init(write: @escaping (String) throws -> Void) { self.write = write }

  /// Writes the answer of a command that succeeded.
  ///
  /// - Throws: The errors of reading the records; nothing is written then. The errors of writing.
  func answer(_ outcome: Outcome, of command: Command, at place: ScriptPlace, _ session: Session)
    throws
  {
    var object = place.object
    object.append("command", command.name)
    object.append("ok", json: "true")
    for member in try Self.members(outcome, session) {
      object.append(member.name, json: member.json)
    }
    if let count = session.notes.count, !Self.hasCount(outcome) { object.append("count", count) }
    if !session.notes.remarks.isEmpty {
      object.append("notes", json: JSONObject.array(session.notes.remarks))
    }
    if let warning = session.notes.warning { object.append("warning", warning) }
    try write(object.text + "\n")
  }

  /// Writes the answer of a command that failed.
  ///
  /// - Throws: The errors of writing.
  func failure(_ error: any Error, at place: ScriptPlace, _ session: Session) throws {
    var object = place.object
    let (column, message) = session.place(of: error)
    object.append("ok", json: "false")
    object.append("status", Int(ScriptRunner.status(of: error)))
    if let column { object.append("column", column) }
    object.append("code", FailureCode(error).rawValue)
    object.append("message", message)
    if let failure = error as? any FailureWithResult {
      for member in try Self.members(failure.outcome, session) {
        object.append(member.name, json: member.json)
      }
    }
    try write(object.text + "\n")
  }

  /// Writes the answer for a failure outside of commands.
  ///
  /// - Throws: The errors of writing.
  package func failure(_ message: String, code: FailureCode, status: Int32) throws {
    var object = JSONObject()
    object.append("ok", json: "false")
    object.append("status", Int(status))
    object.append("code", code.rawValue)
    object.append("message", message)
    try write(object.text + "\n")
  }

  private static func hasCount(_ outcome: Outcome) -> Bool {
    if case .facts(let facts) = outcome {
      facts.members.contains { $0.name == "count" }
    } else {
      false
    }
  }

  /// The parts of an outcome.
  private static func members(_ outcome: Outcome, _ session: Session) throws -> [Facts.Member] {
    switch outcome {
    case .done(let text), .note(let text):
      text.isEmpty ? [] : [("message", JSONText.quoted(text))]
    case .lines(let lines): [("lines", JSONObject.array(lines))]
    case .facts(let facts): facts.members
    case .saved(let report): members(report)
    case .records, .table:
      [("records", "[" + (try objects(outcome, session).joined(separator: ",")) + "]")]
    case .record: [("record", try objects(outcome, session).first ?? "null")]
    case .several(let outcomes):
      [
        (
          "answers",
          "["
            + (try outcomes.map { JSONObject(try members($0, session)).text }.joined(separator: ","))
            + "]"
        )
      ]
    case .quit, .question, .screen, .commands: []
    }
  }

  private static func members(_ report: SaveReport) -> [Facts.Member] {
    let ids: [Facts.Member] = report.answered.map {
      ($0.temporary.description, JSONText.quoted($0.permanent.description))
    }
    var members: [Facts.Member] = [
      ("inserted", String(report.inserted)), ("updated", String(report.updated)),
      ("deleted", String(report.deleted)), ("ids", JSONObject(ids).text),
    ]
    if !report.schemaChanges.isEmpty {
      members.append(("schema", JSONObject.array(report.schemaChanges)))
    }
    if !report.effects.isEmpty { members.append(("alsoChanged", alsoChanged(report.effects))) }
    if !report.notes.isEmpty { members.append(("notes", JSONObject.array(report.notes))) }
    return members
  }

  /// What databases changed by themselves, an object for each entity.
  private static func alsoChanged(_ effects: [SideEffects]) -> String {
    let objects = effects.flatMap { $0.counts.sorted { $0.key < $1.key } }.map { name, counts in
      JSONObject([
        ("entity", JSONText.quoted(name)), ("inserted", String(counts.inserted)),
        ("updated", String(counts.updated)), ("deleted", String(counts.deleted)),
      ]).text
    }
    let further = effects.flatMap(\.furtherFields).map { name, fields, count in
      JSONObject([
        ("entity", JSONText.quoted(name)), ("inserted", "0"), ("updated", String(count)),
        ("deleted", "0"), ("fields", JSONObject.array(fields)),
      ]).text
    }
    return "[" + (objects + further).joined(separator: ",") + "]"
  }

  /// The records or rows of an outcome, one object each.
  private static func objects(_ outcome: Outcome, _ session: Session) throws -> [String] {
    var text = ""
    let printer = ResultPrinter(.jsonl, isTerminal: false) { text += $0 }
    try printer.print(outcome, context: session.context)
    return text.utf8.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Where a command stands.
struct ScriptPlace {
  /// The name of the script; nil if there is only one.
  let source: String?
  /// The line, counted from 1; nil for work of the program itself.
  let line: Int?

  fileprivate var object: JSONObject {
    var object = JSONObject()
    if let source { object.append("source", source) }
    if let line { object.append("line", line) }
    return object
  }
}
