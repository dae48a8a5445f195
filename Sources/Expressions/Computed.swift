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
    case .value(let value):
      switch value {
      case .null: .null
      case .boolean: .boolean
      case .integer: .integer
      case .number: .number
      case .decimal: .decimal
      case .text: .text
      case .date: .date
      case .datetime: .datetime
      case .uuid: .uuid
      case .json: .json
      case .link: .link
      case .links: .links
      }
    }
  }

  /// The content of JSON that is no array or object; anything else stays as it is.
  var content: Computed {
    guard case .value(.json(let text)) = self, let first = text.utf8.first else { return self }
    switch first {
    case UInt8(ascii: "["), UInt8(ascii: "{"): return self
    default:
      var reader = JSONReader(Array(text.utf8))
      return (try? reader.next()).map { Computed($0) } ?? self
    }
  }

  /// A value inside JSON.
  init(_ item: JSONReader.Item) {
    switch item {
    case .null: self = .null
    case .boolean(let value): self = .value(.boolean(value))
    case .text(let text): self = .value(.text(text))
    case .container(let text): self = .value(.json(text))
    case .number(let text):
      if let whole = Int64(text) {
        self = .value(.integer(whole))
      } else if let decimal = try? Value(parsing: text, as: .decimal) {
        self = .value(decimal)
      } else {
        self = .value(.number(Double(text) ?? .nan))
      }
    }
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
  let values: [Value]
  /// The text of its identifier.
  let identifier: String

  /// Creates a row.
  package init(values: [Value], identifier: String) {
    (self.values, self.identifier) = (values, identifier)
  }
}
