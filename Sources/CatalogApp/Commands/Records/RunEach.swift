import Expressions
import OpenSwiftData

/// `each`: runs a command for each row of a file.
struct RunEach: Instruction {
  /// The path; `-` for standard input.
  let path: String
  /// How the file is read; nil if nothing is said.
  var reading: ReadingOptions?
  /// The command, whose parameters are the columns of the file.
  let commandText: String

  static let command = Command(
    "each",
    usage: "FILE|- [read OPTIONS] COMMAND …",
    summary: "run a command for each row of a file, whose columns are its parameters",
    details: """
      The value of the column NAME replaces $NAME in COMMAND, as a whole: it is not split, and quotes in it
      have no meaning. ${NAME} names a column such as ${unit price}. COMMAND is insert, upsert, set, delete, duplicate,
      expect, count, list or show. If it fails for one row, nothing changes. "set where" finds the records of
      all rows before it changes any. In JSON Lines, a member that a row lacks
      is missing (null), and numbers, objects and arrays stay JSON in a JSON field. A $NAME without a column or parameter of that name is an error; write '$NAME'
      for such a text. \(ImportFile.formatDetails)
      """,
    changesData: true,
    progress: "each …",
    takesFile: true
  ) { arguments, _ in
    let path = try arguments.require("file name").text
    let reading = try arguments.takeReading()
    guard !arguments.isEmpty else { throw CommandError("missing command after the file name") }
    return RunEach(path: path, reading: reading, commandText: arguments.rest())
  }

  func perform(in session: Session) throws -> Outcome {
    let line = try CommandText(commandText)
    guard let (command, words) = try Command.find(line.words.map(\.text), in: .scripts) else {
      throw CommandError("missing command after the file name")
    }
    guard Self.commands.contains(command.name) else {
      throw CommandError("each: cannot run \(Value.quoted(command.name)) for each row")
    }
    try checkObjects(line, after: words)
    let source = try session.importSource(path, reading: reading)
    let given = session.script.parameters
    defer { (session.script.parameters, session.script.jsonParameters) = (given, []) }
    var results = Results()
    let columns = try source.parameterNames(path)
    let reportCount = session.context.reportCount
    session.valueIndex = ValueIndex()
    defer { session.valueIndex = nil }
    func forEachRow(_ body: (Int, inout Arguments) throws -> Void) throws {
      var count = 0
      try source.forEachRow { row in
        try Interruption.check()
        session.script.parameters = given.merging(row.parameters(columns)) { $1 }
        session.script.jsonParameters = row.jsonParameters
        do {
          if count == 0 { try requireColumns(line, after: words, row.columns, session) }
          var arguments = Arguments(line, after: words)
          try body(count, &arguments)
        } catch  where !(error is Interruption.Stopped) {
          throw ImportError(row, FailureCode.place(of: error).message, FailureCode(error))
        }
        count += 1
      }
    }
    try ImportError.naming(path, in: source) {
      try source.requireOneEntity(path)
      var matches = Matches()
      if command.name == SetValues.command.name, Arguments(line, after: words).startsFilteredEntity
      {
        try forEachRow { try matches.find($1, session) }
      }
      try forEachRow { number, arguments in
        let instruction = try command.instruction(&arguments, session)
        let outcome =
          try matches.perform(instruction, number, session, since: reportCount)
          ?? instruction.perform(in: session)
        try noteChanges(by: instruction, session)
        results.add(outcome, isListing: Self.listing.contains(command.name))
      }
    }
    if results.count == 0 { try checkWithoutRows(command, line, after: words, source, session) }
    session.notes.remarks += source.notes(path)
    session.notes.count = results.count
    session.notes.stepName =
      "\(command.name) for \(counted(results.count, "row")) of \(path)"
    return results.outcome(of: command, in: session.settings.format)
  }

  /// Checks that every `$NAME` that is a whole word or value is a column or another parameter.
  private func requireColumns(
    _ line: CommandText,
    after count: Int,
    _ columns: [String],
    _ session: Session
  ) throws {
    for word in line.words.dropFirst(count) {
      guard let reference = word.reference(in: session.context.schema) else { continue }
      guard let name = reference.referencedParameter, !name.isEmpty else {
        let name = String(reference.dropFirst())
        guard session.script.parameters.keys.contains(name) else { continue }
        throw CommandError(
          "\(Value.quoted(reference)): write \(name.parameterSpelling) for the column",
          code: .unknownParameter
        )
      }
      guard session.script.parameters[name] == nil else { continue }
      throw CommandError(
        "unknown parameter \(Value.quoted(reference)); "
          + Suggestion.text(for: name.parameterSpelling, among: columns.map(\.parameterSpelling)),
        code: .unknownParameter
      )
    }
  }

  /// Checks what can be checked of a command that has no row to run for: its entity, its fields and its parameters.
  private func checkWithoutRows(
    _ command: Command,
    _ line: CommandText,
    after count: Int,
    _ source: ImportSource,
    _ session: Session
  ) throws {
    // Without a row, JSON has no columns.
    let columns = source.headingRow?.columns
    let missing = (columns ?? []).map { ($0, String?.none) }
    session.script.parameters.merge(missing) { $1 }
    if let columns { try requireColumns(line, after: count, columns, session) }
    var arguments = Arguments(line, after: count)
    do {
      _ = try command.instruction(&arguments, session)
    } catch {
      // Other errors may be those of the missing values.
      let code = FailureCode(error)
      let isColumn = columns == nil && code == .unknownParameter
      guard Self.rowlessCodes.contains(code), !isColumn else { return }
      throw CommandError(FailureCode.place(of: error).message, code: FailureCode(error))
    }
  }

  /// Checks the JSON objects in the command, in which parameters have no meaning.
  private func checkObjects(_ line: CommandText, after count: Int) throws {
    var arguments = Arguments(line, after: count)
    while arguments.peek != nil {
      guard arguments.startsObject else {
        _ = arguments.next()
        continue
      }
      do {
        try arguments.takeObject { _, _ in }
      } catch {
        let hint = line.words.contains { $0.text.contains("$") } ? "; use FIELD=$NAME" : ""
        throw CommandError(
          "each: the object in the command is not JSON\(hint)",
          code: .invalidCommand
        )
      }
    }
  }

  private static let rowlessCodes: Set<FailureCode> = [
    .unknownEntity, .unknownField, .unknownParameter,
  ]
  private static let commands: Set<String> = [
    "insert", "upsert", "set", "delete", "duplicate", "expect", "count", "list", "show",
  ]
  /// Those of them that print records.
  private static let listing: Set<String> = ["list", "show"]

  /// The records that `set where P` changes for each row, all of which are found before any is changed.
  ///
  /// So a table of old and new names can exchange names: no row finds what another row has changed.
  private struct Matches {
    /// Those of each row; empty for commands that find their records one row after the other.
    private var found: [[PersistentIdentifier]] = []
    private var changed: Set<PersistentIdentifier> = []

    /// Finds the records of the next row.
    mutating func find(_ arguments: Arguments, _ session: Session) throws {
      var arguments = arguments
      let selection = try SetSelection.take(&arguments, session).selection
      // What the records are found by has a value for each of them, whatever follows.
      found.append(try selection.records(failing: .refused, in: session).found)
    }

    /// Sets the values of a row in the records that were found for it; nil if none were looked for.
    mutating func perform(
      _ instruction: any Instruction,
      _ row: Int,
      _ session: Session,
      since reportCount: Int
    ) throws -> Outcome? {
      guard !found.isEmpty, let set = instruction as? SetValues else { return nil }
      let check = try MatchCheck(
        set.selection,
        set.failing,
        session,
        since: reportCount,
        except: changed
      )
      let outcome = try set.perform(on: found[row], check, in: session)
      changed.formUnion(found[row])
      return outcome
    }
  }

  /// What the commands of all rows have printed.
  private struct Results {
    private(set) var count = 0
    private var lines: [String] = []
    private var answers: [String] = []
    private var listings: [Outcome] = []
    private var upserted = Upsert.Counts()

    mutating func add(_ outcome: Outcome, isListing: Bool) {
      count += 1
      if isListing { return listings.append(outcome) }
      guard case .facts(let facts) = outcome else { return }
      if let counts = Upsert.Counts(facts) {
        upserted += counts
      } else {
        lines += facts.lines
      }
      answers.append(JSONObject(facts.members).text)
    }

    func outcome(of command: Command, in format: OutputFormat) -> Outcome {
      if RunEach.listing.contains(command.name) { return .several(listings) }
      let answered: Facts.Member = ("answers", "[" + answers.joined(separator: ",") + "]")
      if command.name == UpsertRecord.command.name {
        return .facts(Facts(upserted.facts.lines, [answered] + upserted.facts.members))
      }
      let isList = command.name == CountRecords.command.name && format == .json
      let printed = isList ? ["[" + lines.joined(separator: ",") + "]"] : lines
      return .facts(Facts(printed, [answered]))
    }
  }
}

extension ImportRow {
  /// The cells by the names of their columns; other columns are missing values.
  fileprivate func parameters(_ names: Set<String>) -> [String: String?] {
    var result = [String: String?](uniqueKeysWithValues: names.map { ($0, nil) })
    for (name, cell) in zip(columns, cells) {
      switch cell {
      case .null: result[name] = .some(nil)
      case .text(let text), .number(let text), .container(let text): result[name] = text
      case .boolean(let value): result[name] = value ? "true" : "false"
      }
    }
    return result
  }

  /// The columns whose cells are JSON other than text.
  fileprivate var jsonParameters: Set<String> {
    guard hasTypedValues else { return [] }
    let pairs = zip(columns, cells).filter { _, cell in
      switch cell {
      case .number, .boolean, .container: true
      case .null, .text: false
      }
    }
    return Set(pairs.map(\.0))
  }
}

extension ImportSource {
  /// The columns of JSON Lines, which are those of any row; those of other formats are in each row.
  ///
  /// - Throws: `ImportError` with the path.
  fileprivate func parameterNames(_ path: String) throws -> Set<String> {
    var names: Set<String> = []
    guard delimited == nil else { return names }
    try ImportError.naming(path, in: self) {
      try forEachRow { names.formUnion($0.columns) }
    }
    return names
  }
}

extension CommandText.Word {
  /// The text from a `$` on with which the word begins, after the `=` of an assignment, or after `ENTITY/`; nil if there
  /// is none.
  fileprivate func reference(in schema: Schema) -> String? {
    let value = assignment?.value ?? text
    // Quotes and escapes make the text in the line longer: such a text is literal.
    guard value.utf8.count == end - (equals == nil ? start : valueStart) else { return nil }
    let parameter = value.utf8.dropFirst(equals == nil ? parameterStart(in: schema) : 0)
    return parameter.first == UInt8(ascii: "$") ? String(parameter) : nil
  }
}

extension Upsert.Counts {
  /// The counts in the answer of an upsert; nil for any other answer.
  fileprivate init?(_ facts: Facts) {
    func number(_ name: String) -> Int? {
      facts.members.first { $0.name == name }.flatMap { Int($0.json) }
    }
    guard let inserted = number("inserted"), let updated = number("updated"),
      let unchanged = number("unchanged"), let deleted = number("deleted")
    else { return nil }
    self.init(inserted: inserted, updated: updated, unchanged: unchanged, deleted: deleted)
  }
}

extension RunEach {
  /// Records which values an instruction of a larger command has changed; an upsert does that itself.
  private func noteChanges(by instruction: any Instruction, _ session: Session) throws {
    switch instruction {
    case let insert as InsertRecord:
      let entity = try session.context.schema.entity(named: insert.entityName)
      session.valueIndex?.noteChange(of: entity.name, entity.fields.map(\.name))
    case let set as SetValues:
      let entity = try session.entityName(of: set.target)
      session.valueIndex?.noteChange(of: entity, set.assignments.map(\.field))
    case is DuplicateRecords: session.valueIndex?.forget()
    default: break
    }
  }
}
