import OpenSwiftData

/// An instruction for the selected records, which may need a question first.
package struct RecordAction: Hashable, Sendable {
  /// The instruction, whose target is replaced with the records that are found.
  private let instruction: AnyInstruction
  /// The action in words, such as `delete` or `set title of`.
  let verb: String
  /// True if it asks whenever it affects more than one record; otherwise it asks only for records that
  /// are not shown.
  let asksAboveOne: Bool
  /// True if the records were counted from the cursor on, regardless of marks.
  var isCounted = false

  init(_ instruction: some RecordInstruction) {
    self.instruction = AnyInstruction(instruction)
    verb = instruction.verb
    asksAboveOne = instruction.asksAboveOne
  }

  /// The instruction for these records.
  func request(on identifiers: [PersistentIdentifier]) -> Request {
    guard var instruction = instruction.value as? any RecordInstruction else {
      return Request(self.instruction.value)
    }
    instruction.target = .records(identifiers)
    return Request(instruction)
  }
}

/// Which records an action applies to, and the first of them in words.
struct ChooseRecords: Question {
  struct Reply: Hashable, Sendable {
    let records: [PersistentIdentifier]
    let labels: [String]
  }

  let action: RecordAction
  /// The rows that were counted; nil for the selected records.
  let rows: Range<Int>?
  var work: String { "collecting records" }

  func answer(by reader: ListReader) throws -> Reply? {
    let session = reader.session
    let chosen = try rows.map { try reader.list.identifiers(in: $0) }
    let targets = try chosen ?? reader.screenRecords()?.targets() ?? []
    let records = try session.context.present(targets)
    let first = Array(records.prefix(5))
    let snapshots = try session.context.snapshots(for: first)
    return Reply(
      records: records,
      labels: first.compactMap { snapshots[$0].map(session.context.schema.label) }
    )
  }
}
