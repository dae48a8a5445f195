import Foundation

/// The value that a column has in a new row which does not name it, as `DEFAULT` declares it.
package enum ColumnDefault: Hashable, Sendable {
  /// There is none: the value is NULL.
  case none
  /// A literal.
  case constant(SQLValue)
  /// An expression, such as `CURRENT_TIMESTAMP`, which the database evaluates for each row.
  case expression

  /// Reads what follows `DEFAULT`.
  package init(_ text: String?) {
    guard let text else {
      self = .none
      return
    }
    let value = Self.literal(text.trimmingCharacters(in: .whitespacesAndNewlines))
    self = value.map { $0 == .null ? .none : .constant($0) } ?? .expression
  }

  private static func literal(_ text: String) -> SQLValue? {
    switch text.uppercased() {
    case "NULL": return .null
    case "TRUE": return .integer(1)
    case "FALSE": return .integer(0)
    default: break
    }
    for quote in ["'", "\""] where text.hasPrefix(quote) {
      guard text.utf8.count > 1, text.hasSuffix(quote) else { return nil }
      let inner = String(text.dropFirst().dropLast())
      let isOneText = !inner.replacing(quote + quote, with: "").contains(quote)
      return isOneText ? .text(inner.replacing(quote + quote, with: quote)) : nil
    }
    if text.lowercased().hasPrefix("x'"), text.hasSuffix("'") {
      return SQLValue.bytes(hexadecimal: text.dropFirst(2).dropLast()).map { .bytes($0) }
    }
    return number(text)
  }

  private static func number(_ text: String) -> SQLValue? {
    let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard let last = digits.utf8.last, (48...57).contains(last) || last == 46,
      digits.utf8.allSatisfy({ (48...57).contains($0) || Array("+-.eE".utf8).contains($0) })
    else { return nil }
    return Int64(digits).map { .integer($0) } ?? Double(digits).map { .real($0) }
  }
}

extension Affinity {
  /// The value that a column with this affinity keeps for a value.
  func kept(_ value: SQLValue) -> SQLValue {
    switch (self, value) {
    case (.text, .integer), (.text, .real): return .text(value.literal)
    case (.real, .integer(let number)): return .real(Double(number))
    case (.real, .text(let text)), (.numeric, .text(let text)), (.integer, .text(let text)):
      guard let number = MixedText.number(text), number.isFinite else { return value }
      if self == .real { return .real(number) }
      return (Int64(text) ?? Int64(exactly: number)).map { .integer($0) } ?? .real(number)
    case (.numeric, .real(let number)), (.integer, .real(let number)):
      return Int64(exactly: number).map { .integer($0) } ?? value
    default: return value
    }
  }
  /// False for a text that a column with this affinity turns into a number with another spelling, as `2E5` into 200000.
  func keepsSpelling(of text: String) -> Bool {
    guard isNumeric, MixedText.looksLikeNumber(.text(text)) else { return true }
    return MixedText.text(of: kept(.text(text)), convertsText: true) == text
      && MixedText.isKept(text, asText: false, isReal: self == .real)
  }
}
