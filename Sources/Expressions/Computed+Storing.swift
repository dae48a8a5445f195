import Foundation
package import OpenSwiftData

extension ExpressionType {
  /// Why a field of a type cannot get values of this type, as a hint that follows; nil if it can.
  package func misfit(in type: AttributeType) -> String? {
    if self == .null || self == .json || self == ExpressionType(type.kind) { return nil }
    switch (self, type) {
    case (.duration, _): return "; write days(…) or text(…)"
    case (_, .text), (_, .json), (.date, .datetime), (.datetime, .date): return nil
    case (.integer, .decimal), (.integer, .number), (.decimal, .integer), (.decimal, .number),
      (.number, .integer), (.number, .decimal):
      return nil
    case (.link, .links): return nil
    case (_, .link), (_, .links): return ""
    default: return "; write \(type.description)(…)"
    }
  }
}

extension Computed {
  /// The value as a field of a type keeps it: numbers exactly, but a decimal in a field of binary numbers as the nearest
  /// one.
  ///
  /// - Throws: `ValueError` for one that the field cannot keep.
  package func stored(as type: AttributeType) throws(ValueError) -> Value {
    guard case .value(let value) = self else { throw ValueError("a duration cannot be stored") }
    switch (value, type) {
    case (.null, _): return .null
    case (.json(let text), .text): return .text(text)
    case (.json, .json): return value
    case (_, .json): return try Value(parsing: json(of: value), as: .json)
    case (_, .text): return .text(value.text)
    case (.number(let number), .integer) where !number.isFinite:
      throw ValueError("\(value.text) is not a whole number")
    case (.integer, .integer), (.decimal, .integer), (.number, .integer):
      do {
        return try Value(reading: value.text, as: .integer)
      } catch  where value.text.contains(".") {
        throw ValueError("\(error); write round(…), floor(…) or ceil(…)")
      }
    case (.integer, .number), (.decimal, .number): return .number(value.asDouble ?? .nan)
    case (.integer, .decimal), (.number, .decimal):
      guard let exact = value.exact else { return try Value(parsing: value.text, as: .decimal) }
      return Value(exact)
    case (.date(let date), .datetime): return .datetime(Date(date))
    case (.datetime(let moment), .date): return .date(moment.dayAndSeconds.day)
    case (.link(let link), .links): return .links([link])
    default:
      if ExpressionType(type.kind) == self.type { return value }
      throw ValueError("\(Value.quoted(value.text)) is \(self.type.rawValue)")
    }
  }

  private func json(of value: Value) -> String {
    switch value {
    case .boolean, .integer, .decimal: value.text
    case .number(let number) where number.isFinite: value.text
    default: JSONText.quoted(value.text)
    }
  }
}
