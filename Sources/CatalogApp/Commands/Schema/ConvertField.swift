import OpenSwiftData

/// `field type`: converts the values of a field to another type.
struct ConvertField: Instruction {
  let entityName: String
  let name: String
  let type: AttributeType
  let convention: EntryConvention
  /// True if values that do not fit become missing.
  let clearsMisfits: Bool

  static let command = Command(
    "field type",
    usage: "[ENTITY] NAME TYPE [order dmy|mdy|ymd] [decimal comma|point] [missing]",
    summary: "convert the values of a field to another type",
    details: """
      TYPE is one of \(types.joined(separator: ", ")). Values are read as people write them: "Jan 1 2000", "12/31/1999",
      "1,50", "yes". "order" says how dates made of numbers are written, "decimal" which sign is before a fraction;
      without them a value that has two meanings does not fit. If a value does not fit, nothing changes and the first
      ones are listed; with "missing" they become missing. On the screen it shows what would not fit and asks. "save"
      writes the change, "undo" reverses it; in a later run it does so if the store has a schema and the save converted
      each field once. "revert" restores former values that the new type can hold, and refuses if there are others:
      convert the field to text first. In a CSV file the converted values of this column are written in their
      exact form and all others stay as they are; text keeps the spelling in the file, such as 1.50 or 1E5. To change
      only how values are shown, use "column format".
      """,
    changesData: true,
    progress: "converting …"
  ) { arguments, session in
    let named =
      arguments.remaining.count > 2
      && session.context.schema.entitiesByName[
        arguments.remaining.first?.text ?? ""
      ] != nil
    let entity = try arguments.takeEntity(before: named ? 2 : .max, in: session)
    let name = try arguments.require("field name").text
    _ = try entity.attribute(named: name)
    let word = try arguments.require("type")
    guard types.contains(word.text), let type = AttributeType.reading(word.text)?.0 else {
      throw CommandError(
        "unknown type \(Value.quoted(word.text)); \(Suggestion.text(for: word.text, among: types))"
      )
    }
    let options = try arguments.takeConversion()
    return ConvertField(
      entityName: entity.name,
      name: name,
      type: type,
      convention: options.convention,
      clearsMisfits: options.clearsMisfits
    )
  }

  /// The types that values can be converted to.
  private static let types = [
    "text", "integer", "number", "decimal", "boolean", "date", "datetime", "uuid", "json",
  ]

  func perform(in session: Session) throws -> Outcome {
    let entity = try session.context.schema.entity(named: entityName)
    let old = try entity.attribute(named: name)
    try requireConvertible(old)
    try session.store.requireFile()
    guard try session.context.canStageSchema() else {
      throw CommandError(
        "this store changes its schema immediately and cannot convert a field; "
          + "use \"saveas NEW.json\", and convert it there",
        code: .unsupported
      )
    }
    guard session.store.allowsSchemaChanges else {
      throw CommandError(
        "the tables belong to another program and are not changed; use \"saveas NEW.db\", and convert "
          + "the field there",
        code: .unsupported
      )
    }
    let conversion = try FieldConversion(self, of: entity, in: session)
    let isConfirmed = session.origin.isOnScreen && !session.origin.asksFirst
    if session.origin.asksFirst { return conversion.question(old.type) }
    let hasMisfits = !conversion.misfits.isEmpty
    if hasMisfits, !clearsMisfits, !isConfirmed { throw CommandError(conversion.refusal) }
    if hasMisfits, !old.isOptional {
      throw CommandError(
        "\(name): \(conversion.misfitCount) and cannot become missing, because the field is required"
      )
    }
    try conversion.perform(from: old, in: session)
    session.notes.count = conversion.values.count
    session.notes.stepName = "field type \(name) \(type)"
    // Scripts print no confirmation, but a loss is told.
    if hasMisfits, !session.origin.isOnScreen, !session.settings.answersPrograms {
      session.notes.remarks.append("field type \(name): \(conversion.lossText)")
    }
    return .done(
      "converted \(name) to \(type): \(counted(conversion.values.count, "value"))"
        + (hasMisfits ? "; \(conversion.lossText)" : "")
    )
  }

  private func requireConvertible(_ old: Schema.Attribute) throws {
    guard old.type != type else { throw CommandError("\(name): already has the type \(type)") }
    guard old.type.destination == nil else {
      throw CommandError("\(name): a link cannot be converted")
    }
    if let cause = old.readOnlyCause {
      throw CommandError("\(name): \(cause), so its values cannot be converted")
    }
    guard !old.isBlob else { throw CommandError("\(name): bytes cannot be converted") }
  }
}

extension EntryConvention {
  fileprivate static let decimalMarks: [String: Character] = ["comma": ",", "point": "."]

  /// The convention as the command takes it, and a history keeps it: `order dmy decimal comma`.
  var words: String {
    let order = dateOrder.map { ["order", $0.rawValue] } ?? []
    let mark = Self.decimalMarks.first { $0.value == decimalMark }
    return (order + (mark.map { ["decimal", $0.key] } ?? [])).joined(separator: " ")
  }

  /// Reads such words.
  init(words: String) {
    let words = words.split(separator: " ").map(String.init)
    self.init()
    for (option, word) in zip(words, words.dropFirst()) {
      if option == "order" { dateOrder = DateOrder(rawValue: word) }
      if option == "decimal" { decimalMark = Self.decimalMarks[word] }
    }
  }
}

extension Arguments {
  /// Reads how values are written, and what happens to those that do not fit.
  fileprivate mutating func takeConversion() throws -> (
    convention: EntryConvention, clearsMisfits: Bool
  ) {
    var convention = EntryConvention()
    var clearsMisfits = false
    var given: Set<String> = []
    while !isEmpty {
      if try takeOnce("order", &given) {
        let word = next()?.text ?? ""
        guard let order = EntryConvention.DateOrder(rawValue: word.lowercased()) else {
          throw CommandError("order: expected dmy, mdy or ymd, found \(Value.quoted(word))")
        }
        convention.dateOrder = order
      } else if try takeOnce("decimal", &given) {
        let word = next()?.text ?? ""
        guard let mark = EntryConvention.decimalMarks[word.lowercased()] else {
          throw CommandError("decimal: expected comma or point, found \(Value.quoted(word))")
        }
        convention.decimalMark = mark
      } else if try takeOnce("missing", &given) {
        clearsMisfits = true
      } else {
        try finish()
      }
    }
    return (convention, clearsMisfits)
  }
}
