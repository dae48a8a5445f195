import Foundation
import OpenSwiftData

/// `stats`: prints statistics of one field.
struct PrintStatistics: Instruction {
  let selection: FieldSelection

  static let command = Command(
    "stats",
    usage: "[ENTITY] FIELD [where P]",
    summary: "print count, missing, distinct, min, max, mean and sum of a field",
    details: """
      Records without a value count only as missing. Sums of integers and decimals are exact; mean and
      sum are computed for numbers only.
      """,
    canBeStopped: true
  ) { arguments, session in
    PrintStatistics(selection: try session.takeField(&arguments))
  }

  func perform(in session: Session) throws -> Outcome {
    var summary = FieldSummary()
    var meter = WorkMeter()
    for value in try session.values(of: selection) {
      try meter.count()
      summary.add(value)
    }
    return .table(OutputTable(columns: ["statistic", "value"], rows: summary.rows))
  }
}

/// One field of records.
struct FieldSelection: Hashable, Sendable {
  /// The records; the field is its only attribute.
  var query: Query
  let field: String
  /// True if the line has neither `where` nor an entity: on the screen, it means the records shown.
  var usesShownRecords: Bool
}

extension Session {
  /// Reads `[ENTITY] FIELD [where P]` to the end of the line.
  func takeField(_ arguments: inout Arguments) throws -> FieldSelection {
    let words = arguments.remaining.prefix(2)
    let namesEntity =
      words.count == 2 && words.last?.isKeyword("where") == false
      && context.schema.entitiesByName[words.first?.text ?? ""] != nil
    let entity = try entity(namesEntity ? arguments.next()?.text : nil)
    let word = try arguments.require("field name")
    let attribute = try arguments.locating(word) { try entity.attribute(named: word.text) }
    var selection = FieldSelection(
      query: Query(entity.name, attributes: [attribute.name]),
      field: attribute.name,
      usesShownRecords: !namesEntity && arguments.isEmpty
    )
    if arguments.take("where") {
      selection.query.filter = try arguments.requirePredicate(for: entity, in: self)
    }
    try arguments.finish()
    return selection
  }

  /// Reads the values.
  ///
  /// - Throws: The error of a store that cannot be read.
  func values(of selection: FieldSelection) throws -> [Value] {
    let entity = try context.schema.entity(named: selection.query.entityName)
    if selection.usesShownRecords, let shown = try takeShown(of: entity) {
      notes.scope = origin.screen?.summary(shown.count)
      return try values(of: entity.attribute(named: selection.field), in: shown)
    }
    return try context.fetchSnapshots(matching: selection.query).map { $0.orderedValues[0] }
  }

  /// The values of a field in the records, a batch at a time.
  private func values(of attribute: Schema.Attribute, in identifiers: [PersistentIdentifier]) throws
    -> [Value]
  {
    var values: [Value] = []
    for batch in identifiers.batches {
      let snapshots = try context.snapshots(for: Array(batch), attributes: [attribute.name])
      values += batch.compactMap { snapshots[$0]?.orderedValues[0] }
    }
    return values
  }
}

/// Statistics of the values of a field, accumulated one by one.
struct FieldSummary {
  private var count = 0
  private var missing = 0
  private var distinct: Set<Value> = []
  private var least: Value?
  private var greatest: Value?
  private var whole: Int64 = 0
  private var exact = Decimal(0)
  private var rounded = 0.0
  /// The accumulated rounding error of `rounded` (Neumaier's summation).
  private var lost = 0.0
  private var hasExact = false
  private var hasRounded = false

  mutating func add(_ value: Value) {
    guard !value.isNull else {
      missing += 1
      return
    }
    count += 1
    distinct.insert(value)
    if least.map({ value.compare($0) == .orderedAscending }) ?? true { least = value }
    if greatest.map({ value.compare($0) == .orderedDescending }) ?? true { greatest = value }
    switch value {
    case .integer(let number): addExactly(number)
    case .decimal(let number):
      hasExact = true
      exact += number
    case .number(let number): addRounding(number)
    default: break
    }
  }

  private mutating func addExactly(_ number: Int64) {
    hasExact = true
    let (sum, overflows) = whole.addingReportingOverflow(number)
    if overflows { exact += Decimal(whole) }
    whole = overflows ? number : sum
  }

  private mutating func addRounding(_ number: Double) {
    hasRounded = true
    let sum = rounded + number
    lost += abs(rounded) >= abs(number) ? (rounded - sum) + number : (number - sum) + rounded
    rounded = sum
  }

  /// A row for each figure.
  var rows: [[Value]] {
    [
      [.text("count"), .integer(Int64(count))],
      [.text("missing"), .integer(Int64(missing))],
      [.text("distinct"), .integer(Int64(distinct.count))],
      [.text("min"), least ?? .null],
      [.text("max"), greatest ?? .null],
      [.text("mean"), mean],
      [.text("sum"), sum],
    ]
  }

  private var exactSum: Decimal { exact + Decimal(whole) }

  private var sum: Value {
    if hasRounded { return Self.number(rounded + lost) }
    return hasExact ? .decimal(exactSum) : .null
  }

  private var mean: Value {
    if hasRounded { return Self.number((rounded + lost) / Double(count)) }
    guard hasExact else { return .null }
    var quotient = exactSum / Decimal(count)
    var result = Decimal()
    let digits = max(6, -exactSum.exponent + 2)
    NSDecimalRound(&result, &quotient, digits, .plain)
    return .decimal(result)
  }

  /// The number with the fifteen digits that a double guarantees; null if it is out of range.
  private static func number(_ value: Double) -> Value {
    guard value.isFinite else { return .null }
    return .number(Double(String(format: "%.15g", value)) ?? value)
  }
}
