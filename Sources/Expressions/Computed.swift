import Foundation
package import OpenSwiftData

/// What an expression gives for a record: a value, or a duration, which no field has.
package enum Computed: Hashable, Sendable {
  case value(Value)
  case duration(CalendarDuration)

  static let null = Computed.value(.null)

  /// The value of a field; nil for a duration.
  package var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  /// True without a value.
  package var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }

  /// The text form, as lists print it.
  package var text: String {
    switch self {
    case .value(let value): value.text
    case .duration(let duration): duration.description
    }
  }

  /// The type of this value; `null` without one.
  package var type: ExpressionType {
    switch self {
    case .duration: .duration
    case .value(let value): value.kind.map(ExpressionType.init) ?? .null
    }
  }

  /// The value of JSON that is a text, a number, a truth value or null; anything else stays as it is.
  var content: Computed {
    guard case .value(.json(let text)) = self, let first = text.utf8.first,
      first != UInt8(ascii: "["), first != UInt8(ascii: "{")
    else { return self }
    return .value(Value(memberJSON: text))
  }
}

extension Value {
  /// The number as an exact decimal, a binary one by its shortest digits; nil if it is none or out of range.
  var exact: ExactDecimal? {
    switch self {
    case .integer(let value): ExactDecimal(whole: value)
    case .decimal(let value): ExactDecimal(value)
    case .number(let value) where value.isFinite:
      (try? Value(parsing: Value.text(of: value), as: .decimal))?.exact
    default: nil
    }
  }

  init(_ number: ExactDecimal) { self = .decimal(number.decimal) }
}

/// Why an expression has no value for a record.
package struct ExpressionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part of the expression that failed, shortened; nil while it is not known.
  var source: String?
  /// What is wrong.
  let problem: String

  /// Creates a failure of a part that is named later.
  package init(_ problem: String) { self.problem = problem }

  /// `decimal(amount): "n/a" is not a decimal number`.
  package var description: String { (source.map { $0 + ": " } ?? "") + problem }
}

/// What an expression is evaluated for.
package struct ExpressionRow {
  /// The values of the record, in the order of the fields of the scope.
  private(set) var values: [Value]
  private let name: Name
  /// What the functions of several records give for it.
  package var results: [Computed] = []

  private enum Name {
    case text(String)
    case record(PersistentIdentifier)
  }

  /// The text of its identifier.
  package var identifier: String {
    switch name {
    case .text(let text): text
    case .record(let identifier): identifier.description
    }
  }

  /// Creates a row for a record.
  package init(values: [Value], of identifier: PersistentIdentifier) {
    (self.values, name) = (values, .record(identifier))
  }

  /// The same row with more values.
  func adding(_ more: [Value]) -> ExpressionRow {
    var row = self
    row.values += more
    return row
  }

  /// Creates a row with a text in place of an identifier.
  package init(values: [Value], identifier: String) {
    (self.values, name) = (values, .text(identifier))
  }
}
