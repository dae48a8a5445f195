import Foundation
import OpenSwiftData

/// The values of a field as another type, before any of them is changed.
struct FieldConversion {
  /// A value without a meaning in the new type, or with two.
  struct Misfit {
    let text: String
    /// A record that has it.
    let record: PersistentIdentifier
    var count = 1
    /// The meanings, if it has two.
    let meanings: [EntryMeaning]
  }

  private let command: ConvertField
  /// The new values of the records that have one.
  private(set) var values: [(record: PersistentIdentifier, value: Value)] = []
  /// The values that do not fit, each once, in the order in which they were found.
  private(set) var misfits: [Misfit] = []
  /// The first values whose text changes.
  private var samples: [(old: String, new: Value)] = []
  private static let sampleLimit = 3
  private static let listedLimit = 5
  private static let shownLimit = 15

  /// Reads all values of the field.
  ///
  /// - Complexity: O(n) in the number of records.
  init(_ command: ConvertField, of entity: Schema.Entity, in session: Session) throws {
    self.command = command
    let reader = EntryReader(today: session.services.clock.today, convention: command.convention)
    var places: [String: Int] = [:]
    var read: [(PersistentIdentifier, Value)] = []
    try session.context.forEachPage(matching: Query(entity.name)) { page in
      try Interruption.check()
      guard let slot = page.layout.slot(of: command.name) else { return }
      for (place, value) in page.values(slot: slot).enumerated() where !value.isNull {
        read.append((page.identifier(at: place), value))
      }
    }
    let spellings = try Self.spellings(command, in: session)
    let counter = WorkCounter(of: read.count)
    for (record, value) in read {
      let spelling = spellings[record].flatMap { $0.value == value ? $0.text : nil }
      add(value, spelledAs: spelling, of: record, reader, &places)
      try counter.add()
    }
  }

  /// The texts in the file of values that are spelled in another way than their text here.
  ///
  /// A text keeps all of it, a decimal number its zeros; other types have only one spelling for a value.
  private static func spellings(
    _ command: ConvertField,
    in session: Session
  ) throws -> ModelContext.Spellings {
    guard command.type == .text || command.type == .decimal else { return [:] }
    return try session.context.spellings(of: command.name, in: command.entityName)
  }

  private mutating func add(
    _ value: Value,
    spelledAs spelling: String?,
    of record: PersistentIdentifier,
    _ reader: EntryReader,
    _ places: inout [String: Int]
  ) {
    let exact = spelling.flatMap { Self.isExact($0, as: command.type) ? $0 : nil }
    let text = exact ?? Self.text(of: value)
    // An empty text is a missing value of any other type.
    if text.isEmpty, command.type != .text { return }
    let meanings: [EntryMeaning]
    switch reader.read(text, as: command.type) {
    case .value(let new):
      values.append((record, new))
      if new.text != text, samples.count < Self.sampleLimit { samples.append((text, new)) }
      return
    case .ambiguous(let both): meanings = both
    case .refused: meanings = []
    }
    if let place = places[text] {
      misfits[place].count += 1
    } else {
      places[text] = misfits.count
      misfits.append(Misfit(text: text, record: record, meanings: meanings))
    }
  }

  /// True for a text that has the type as it is.
  private static func isExact(_ text: String, as type: AttributeType) -> Bool {
    (try? Value(parsing: text, as: type)) != nil
  }

  /// The text to read a value from; that of a text in JSON is without quotes.
  static func text(of value: Value) -> String {
    guard case .json = value, let data = value.text.data(using: .utf8), data.first == 0x22,
      let text = try? JSONDecoder().decode(String.self, from: data)
    else { return value.text }
    return text
  }

  /// The value as another type; nil if it does not fit.
  static func converted(_ value: Value, to type: AttributeType, by reader: EntryReader) -> Value? {
    let text = Self.text(of: value)
    if text.isEmpty, type != .text { return .null }
    if case .value(let converted) = reader.read(text, as: type) { return converted }
    return nil
  }

  // MARK: Words

  /// `3 values became missing`.
  var lossText: String { "\(counted(lossCount, "value")) became missing" }

  private var lossCount: Int { misfits.reduce(0) { $0 + $1.count } }

  /// `3 values do not fit date`.
  var misfitCount: String {
    let count = lossCount
    return
      "\(counted(count, "value")) \(count == 1 ? "does" : "do") not fit \(command.type)"
  }

  /// Why nothing was converted, with the first values that do not fit.
  var refusal: String {
    let listed = misfits.prefix(Self.listedLimit).map { misfit in
      "\(Self.words(misfit)) in \(misfit.record)"
    }
    let rest = misfits.count - listed.count
    return "\(command.name): \(misfitCount): " + listed.joined(separator: ", ")
      + (rest > 0 ? ", … and \(rest) more" : "") + "; \(hint)"
  }

  private static func words(_ misfit: Misfit) -> String {
    Value.quoted(misfit.text) + (misfit.count > 1 ? " (\(misfit.count)×)" : "")
  }

  private var hint: String {
    let isAmbiguous = misfits.contains { !$0.meanings.isEmpty }
    guard isAmbiguous else { return "add \"missing\" to make them missing" }
    return command.type.isNumeric
      ? "add \"decimal comma\" or \"decimal point\"" : "add \"order dmy\" or \"order mdy\""
  }

  /// The question on the screen: what is converted, and what would not fit.
  func question(_ old: AttributeType) -> Outcome {
    var details = ["\(counted(values.count, "value")) can be converted"]
    details += samples.map { "  \(Value.quoted($0.old)) → \($0.new.text)" }
    if !misfits.isEmpty {
      details.append("\(misfitCount), and would become missing:")
      details += misfits.prefix(Self.shownLimit).map { misfit in
        "  \(Self.words(misfit))"
          + (misfit.meanings.isEmpty ? "" : ": " + misfit.meanings.words)
      }
      if misfits.count > Self.shownLimit {
        details.append("  … and \(misfits.count - Self.shownLimit) more")
      }
      if misfits.contains(where: { !$0.meanings.isEmpty }) {
        details.append("To keep those with two meanings, \(hint).")
      }
    }
    details.append("Nothing is written until you save.")
    return .question("convert \(command.name) from \(old) to \(command.type)?", details: details)
  }

  // MARK: Converting

  /// Replaces the field by one of the new type at the same place, with the new values.
  ///
  /// - Complexity: O(n) in the number of records.
  func perform(from old: Schema.Attribute, in session: Session) throws {
    // An inverse or a default of the old type has no meaning for the new one.
    let new = Schema.Attribute(old.name, command.type, isOptional: old.isOptional)
    let conversion = AttributeConversion(
      to: new,
      from: old,
      convention: command.convention.words
    )
    try session.context.stage(
      step: .convertAttribute(entity: command.entityName, conversion)
    )
    let entity = try session.context.schema.entity(named: command.entityName)
    guard let slot = entity.layout.slot(of: command.name) else { return }
    let counter = WorkCounter(of: values.count)
    for start in stride(from: 0, to: values.count, by: 1024) {
      let batch = values[start..<min(values.count, start + 1024)]
      try session.context.packingChanges {
        let wanted = Dictionary(batch.map { ($0.record, $0.value) }, uniquingKeysWith: { $1 })
        for state in try session.context.states(for: batch.map(\.record)) {
          if let value = wanted[state.identifier] { state.set(value, at: slot) }
          try counter.add()
        }
      }
    }
  }
}
