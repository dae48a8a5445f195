import Expressions
import Foundation
import OpenSwiftData

/// `preview`: performs a command, undoes what it has changed, and shows that.
struct PreviewChange: RecordInstruction {
  private var instruction: AnyInstruction
  /// The command as it was typed.
  let line: String
  /// The number of records from which on the changes are shown; those of fewer are kept at once.
  private var least = 0

  static let command = Command(
    "preview",
    usage: "COMMAND …",
    summary: "show what a command would change, and change nothing",
    details: """
      It shows each value before and after, and the records that the command refuses with the reason. COMMAND is one of
      \(names.joined(separator: ", ")). On the screen, Space skips a record, Enter makes the changes as one step,
      and Esc makes none. In a script, it prints them as "changes" and --dry-run do, and ! is a refused record; in json
      and jsonl, its op is "refuse", and reason says why. A line typed on the screen that computes values
      of several records shows them in this way by itself.
      """.replacing("\n", with: " ")
  ) { arguments, session in
    guard let word = arguments.peek else { throw CommandError("missing COMMAND") }
    var whole = arguments
    let line = whole.rest()
    let words = arguments.remaining.prefix(2).map(\.text)
    guard let (command, count) = try Command.find(words, in: .scripts), names.contains(command.name)
    else {
      throw CommandError(
        "preview: cannot show \(Value.quoted(word.text)); it shows \(names.joined(separator: ", "))",
        column: arguments.line.column(of: word.start)
      )
    }
    for _ in 0..<count { _ = arguments.next() }
    return PreviewChange(try command.instruction(&arguments, session), line)
  }

  /// The commands whose changes are those of an undo step and nothing else.
  private static var names: [String] {
    Command.all(in: .scripts).filter(\.isEdit).map(\.name)
      + [ImportFile.command.name, RunEach.command.name]
  }

  private init(_ instruction: any Instruction, _ line: String) {
    self.instruction = AnyInstruction(instruction)
    // The palette leaves a space for what can follow.
    self.line = line.trimmingCharacters(in: .whitespaces)
  }

  /// An instruction that was typed on the screen, or its preview if it computes values of several records.
  static func ifComputed(_ instruction: any Instruction, _ line: String) -> any Instruction {
    guard let set = instruction as? SetValues, set.assignments.contains(where: \.isComputed) else {
      return instruction
    }
    var preview = PreviewChange(set, line)
    preview.least = 2
    return preview
  }

  var target: Target {
    get { (instruction.value as? any RecordInstruction)?.target ?? .records([]) }
    set {
      guard var inner = instruction.value as? any RecordInstruction else { return }
      inner.target = newValue
      instruction = AnyInstruction(inner)
    }
  }
  var title: String { instruction.value.title }
  var verb: String { (instruction.value as? any RecordInstruction)?.verb ?? title }
  var showsNewRecord: Bool { least > 0 && instruction.value.showsNewRecord }

  /// The same for changes that were shown already, and may be others now: they are never kept.
  private var always: PreviewChange {
    var preview = self
    preview.least = 0
    return preview
  }

  func perform(in session: Session) throws -> Outcome {
    let reportCount = session.context.reportCount
    session.notes.refused = []
    let outcome = try skippingFailures.perform(in: session)
    let name = session.notes.step ?? .text(title)
    let preview = try ChangePreview(
      of: line,
      session.context.openStep(named: name),
      again: always,
      refused: session.notes.refused ?? [],
      reportCount: reportCount
    )
    if preview.recordCount < least, preview.refused.isEmpty { return outcome }
    try session.context.abandonUndoStep()
    (session.notes.step, session.notes.count) = (nil, nil)
    if preview.recordCount < least {
      session.notes = CommandNotes()
      return try instruction.value.perform(in: session)
    }
    if session.origin.isOnScreen { return .screen(.preview(preview)) }
    session.notes.remarks.append(
      "\(preview.words); nothing was changed"
        + (preview.refused.isEmpty || !isRefusing ? "" : ", and without \"skip\" the command fails")
    )
    return .table(try session.changeReport.table(of: preview, inJSON: session.settings.printsJSON))
  }

  /// True if the command fails for all records where it fails for one.
  private var isRefusing: Bool { (instruction.value as? SetValues)?.failing == .refused }

  /// The command without the records for which it fails.
  private var skippingFailures: any Instruction {
    guard isRefusing, var set = instruction.value as? SetValues else { return instruction.value }
    set.failing = .skip
    return set
  }
}

/// Makes the changes that a preview has shown, as one step.
struct ApplyPreview: Instruction {
  let preview: ChangePreview
  /// The records that stay as they are.
  let skipped: Set<PersistentIdentifier>

  static var command: Command { SetValues.command }
  var title: String { preview.again.value.title }

  func perform(in session: Session) throws -> Outcome {
    // Another program has saved, and what would change may be something else now.
    guard session.context.reportCount == preview.reportCount else {
      return try preview.again.value.perform(in: session)
    }
    let count = counted(preview.recordCount - preview.refused.count - skipped.count)
    let name =
      skipped.isEmpty
      ? preview.step?.name ?? title
      : "\(preview.line): \(count), \(skipped.count.groupedDigits) skipped"
    try preview.step.map { try session.context.perform($0.without(skipped, named: name)) }
    return .done(name)
  }
}

extension ChangeReport {
  /// What a preview shows as rows, those of refused records first.
  ///
  /// - Throws: `Interruption.Stopped`.
  fileprivate func table(of preview: ChangePreview, inJSON: Bool) throws -> OutputTable {
    let table = try changeTable(preview.changeSet, inJSON: inJSON)
    let refused = preview.refused.map { refused -> [Value] in
      let record = refused.record
      let reason = (refused.field.map { "\($0): " } ?? "") + refused.reason
      return [
        .text(inJSON ? "refuse" : "!"), .text(record.entityName), .text(record.description),
      ] + (inJSON ? [.null, .null, .text(reason)] : [.text(reason)])
    }
    return OutputTable(
      columns: table.columns + (inJSON ? ["reason"] : []),
      rows: refused + (inJSON ? table.rows.map { $0 + [.null] } : table.rows)
    )
  }
}
