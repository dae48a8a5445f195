import CSimdjson
import OpenSwiftData

/// The kinds of values found under one key; kinds are only ever added.
struct JSONFacts: OptionSet, Sendable {
  let rawValue: UInt32

  static let boolean = JSONFacts(CATALOG_JSON_SAW_BOOLEAN)
  static let number = JSONFacts(CATALOG_JSON_SAW_NUMBER)
  static let text = JSONFacts(CATALOG_JSON_SAW_TEXT)
  static let nested = JSONFacts(CATALOG_JSON_SAW_NESTED)
  /// A number with a decimal point or exponent, or outside the 64-bit integers.
  static let noInteger = JSONFacts(CATALOG_JSON_SAW_NO_INTEGER)
  /// A number that a double would change.
  static let noDouble = JSONFacts(CATALOG_JSON_SAW_NO_DOUBLE)
  /// A number with more than 15 digits, or more than 4 after the decimal point.
  static let noMoney = JSONFacts(CATALOG_JSON_SAW_NO_MONEY)
  /// A number that a decimal would change.
  static let noDecimal = JSONFacts(CATALOG_JSON_SAW_NO_DECIMAL)
  static let noDate = JSONFacts(CATALOG_JSON_SAW_NO_DATE)
  static let noMoment = JSONFacts(CATALOG_JSON_SAW_NO_MOMENT)

  init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ flag: some BinaryInteger) { rawValue = UInt32(flag) }

  /// The narrowest type that holds every value found without loss.
  var type: AttributeType {
    switch intersection([.boolean, .number, .text, .nested]) {
    case []: .text
    case .boolean: .boolean
    case .number: numberType
    case .text: !contains(.noDate) ? .date : !contains(.noMoment) ? .datetime : .text
    // Among texts a number and a boolean are read as text; see decision 0015.
    case let kinds where kinds.contains(.text) && !kinds.contains(.nested): .text
    default: .json
    }
  }

  /// The type of a column of separated values, whose texts can spell everything.
  var columnType: AttributeType {
    // Only texts are neither JSON nor of one kind.
    type == .json ? .text : type
  }

  private var numberType: AttributeType {
    if !contains(.noInteger) { return .integer }
    if !contains(.noMoney) { return .decimal }
    if !contains(.noDouble) { return .number }
    return contains(.noDecimal) ? .json : .decimal
  }
}
