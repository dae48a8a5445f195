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
  /// A number with a decimal comma, in separated values.
  private static let decimalComma = JSONFacts(CATALOG_JSON_SAW_DECIMAL_COMMA)
  /// A text that is not a number with a comma, in separated values.
  private static let otherText = JSONFacts(CATALOG_JSON_SAW_OTHER_TEXT)
  /// A number with a point that cannot separate thousands, in separated values.
  private static let noGroup = JSONFacts(CATALOG_JSON_SAW_NO_GROUP)

  init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ flag: some BinaryInteger) { rawValue = UInt32(flag) }

  /// What was seen if values of a type were found.
  init(of type: AttributeType) {
    self =
      switch type {
      case .boolean: .boolean
      case .integer: .number
      case .decimal: [.number, .noInteger]
      case .number: [.number, .noInteger, .noMoney]
      case .date: [.text, .otherText, .noMoment]
      case .datetime: [.text, .otherText, .noDate]
      case .json: .nested
      case .text, .uuid, .link, .links: [.text, .otherText, .noDate, .noMoment]
      }
  }

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

  /// True for a column of separated values whose numbers have a decimal comma.
  var hasDecimalComma: Bool { contains(.decimalComma) && !contains(.otherText) }

  /// The type of a column of separated values, whose texts can spell everything.
  ///
  /// Where other columns have decimal commas, `1.234` can be a thousand.
  func columnType(besideDecimalCommas: Bool) -> AttributeType {
    let type = type
    switch type {
    // Only texts are neither JSON nor of one kind.
    case .json: return .text
    case .decimal, .number: return besideDecimalCommas && !contains(.noGroup) ? .text : type
    default: return type
    }
  }

  private var numberType: AttributeType {
    if !contains(.noInteger) { return .integer }
    if !contains(.noMoney) { return .decimal }
    if !contains(.noDouble) { return .number }
    return contains(.noDecimal) ? .json : .decimal
  }
}
