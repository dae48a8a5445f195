public import Foundation

/// A Swift type that stores save as a value of its own kind.
///
/// Other `Codable` types are saved as JSON; enums with raw values as their raw value.
public protocol AttributeValue {
  /// The kind of field that holds it.
  static var attributeType: AttributeType { get }
  /// The value used for a missing value if the type requires one.
  static var placeholder: Self { get }
  /// The Swift value; nil when the stored value is of another kind or out of range.
  init?(_ value: Value)
  /// The value in the form that stores save.
  var attributeValue: Value { get }
}

/// A Swift type with the order of its stored values; all integer types have it too.
protocol OrderedAttributeValue: AttributeValue {}

extension Bool: AttributeValue {
  /// True or false.
  public static var attributeType: AttributeType { .boolean }
  /// False.
  public static var placeholder: Bool { false }
  /// Creates the value from a stored boolean; nil for other kinds.
  @inlinable public init?(_ value: Value) {
    guard case .boolean(let boolean) = value else { return nil }
    self = boolean
  }
  /// The value in the form that stores save.
  @inlinable public var attributeValue: Value { .boolean(self) }
}

extension String: AttributeValue {
  /// Text.
  public static var attributeType: AttributeType { .text }
  /// The empty text.
  public static var placeholder: String { "" }
  /// Creates the value from stored text; nil for other kinds.
  @inlinable public init?(_ value: Value) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
  /// The value in the form that stores save.
  @inlinable public var attributeValue: Value { .text(self) }
}

extension AttributeValue where Self: FixedWidthInteger {
  /// A whole number.
  public static var attributeType: AttributeType { .integer }
  /// Zero.
  public static var placeholder: Self { 0 }
  /// Creates the value from a stored whole number; nil if it is out of range.
  @inlinable public init?(_ value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
  /// The value in the form that stores save.
  @inlinable public var attributeValue: Value { .integer(Int64(self)) }
}

extension Int: AttributeValue {}
extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}
extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}

extension UInt64: AttributeValue {
  /// An exact decimal number, because the range of a signed 64-bit integer is too small.
  public static var attributeType: AttributeType { .decimal }
  /// Creates the value from a stored number; nil if it is negative, fractional or too large.
  public init?(_ value: Value) {
    switch value {
    case .integer(let integer): self.init(exactly: integer)
    case .decimal(let decimal): self.init(decimal.description)
    default: return nil
    }
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .decimal(Decimal(self)) }
}

extension UInt: AttributeValue {
  /// An exact decimal number, because the range of a signed 64-bit integer is too small.
  public static var attributeType: AttributeType { .decimal }
  /// Creates the value from a stored number; nil if it is negative, fractional or too large.
  public init?(_ value: Value) {
    guard let wide = UInt64(value) else { return nil }
    self.init(exactly: wide)
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .decimal(Decimal(self)) }
}

extension Double: AttributeValue {
  /// A floating-point number.
  public static var attributeType: AttributeType { .number }
  /// Zero.
  public static var placeholder: Double { 0 }
  /// Creates the value from a stored number; nil for a whole number that a `Double` cannot hold exactly.
  @inlinable public init?(_ value: Value) {
    switch value {
    case .number(let number): self = number
    case .integer(let integer): self.init(exactly: integer)
    default: return nil
    }
  }
  /// The value in the form that stores save.
  @inlinable public var attributeValue: Value { .number(self) }
}

extension Double: OrderedAttributeValue {}

extension Float: AttributeValue {
  /// A floating-point number.
  public static var attributeType: AttributeType { .number }
  /// Zero.
  public static var placeholder: Float { 0 }
  /// Creates the value from a stored number, rounded to the precision of the type.
  public init?(_ value: Value) {
    guard let number = Double(value) else { return nil }
    self.init(number)
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .number(Double(self)) }
}

extension Float: OrderedAttributeValue {}

extension Decimal: AttributeValue {
  /// An exact decimal number.
  public static var attributeType: AttributeType { .decimal }
  /// Zero.
  public static var placeholder: Decimal { 0 }
  /// Creates the value from a stored decimal or whole number; nil for other kinds.
  public init?(_ value: Value) {
    switch value {
    case .decimal(let decimal): self = decimal
    case .integer(let integer): self.init(integer)
    default: return nil
    }
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .decimal(self) }
}

extension Decimal: OrderedAttributeValue {}

extension Date: AttributeValue {
  /// A moment.
  public static var attributeType: AttributeType { .datetime }
  /// The reference date.
  public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// Creates the value from a stored moment; nil for other kinds.
  @inlinable public init?(_ value: Value) {
    guard case .datetime(let date) = value else { return nil }
    self = date
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .datetime(self) }
}

extension Date: OrderedAttributeValue {}

extension CalendarDate: AttributeValue {
  /// A day.
  public static var attributeType: AttributeType { .date }
  /// 1970-01-01.
  public static var placeholder: CalendarDate { CalendarDate(daysSince1970: 0) }
  /// Creates the value from a stored day; nil for other kinds.
  public init?(_ value: Value) {
    guard case .date(let date) = value else { return nil }
    self = date
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .date(self) }
}

extension CalendarDate: OrderedAttributeValue {}

extension UUID: AttributeValue {
  /// A UUID.
  public static var attributeType: AttributeType { .uuid }
  /// All zeros.
  public static var placeholder: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// Creates the value from a stored UUID; nil for other kinds.
  @inlinable public init?(_ value: Value) {
    guard case .uuid(let uuid) = value else { return nil }
    self = uuid
  }
  /// The value in the form that stores save.
  public var attributeValue: Value { .uuid(self) }
}

extension UUID: OrderedAttributeValue {}

extension URL: AttributeValue {
  /// Text.
  public static var attributeType: AttributeType { .text }
  /// `about:blank`.
  public static var placeholder: URL { URL(string: "about:blank") ?? URL(filePath: "/") }
  /// Creates the value from stored text; nil if the text is not a URL.
  public init?(_ value: Value) {
    guard case .text(let text) = value else { return nil }
    self.init(string: text)
  }
  /// The absolute form as text.
  public var attributeValue: Value { .text(absoluteString) }
}

extension Data: AttributeValue {
  /// Text in base 64.
  public static var attributeType: AttributeType { .text }
  /// No bytes.
  public static var placeholder: Data { Data() }
  /// Creates the value from stored text; nil if the text is not base 64.
  public init?(_ value: Value) {
    guard case .text(let text) = value else { return nil }
    self.init(base64Encoded: text)
  }
  /// The bytes in base 64.
  public var attributeValue: Value { .text(base64EncodedString()) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The kind of the wrapped type.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// Nil.
  public static var placeholder: Wrapped? { nil }
  /// Creates the value from null or from a stored value of the wrapped type.
  @inlinable public init?(_ value: Value) {
    if case .null = value {
      self = Wrapped?.none
    } else if let wrapped = Wrapped(value) {
      self = wrapped
    } else {
      return nil
    }
  }
  /// Null for nil.
  public var attributeValue: Value { self?.attributeValue ?? .null }
}

extension Value {
  /// Converts the default value of a declaration to a stored value; null if that is not possible.
  init(converting any: Any?) {
    switch any {
    case nil: self = .null
    case let native as any AttributeValue: self = native.attributeValue
    case let raw as any RawRepresentable: self = Self.raw(raw) ?? Self.encoded(any)
    default: self = Self.encoded(any)
    }
  }

  private static func raw<T: RawRepresentable>(_ value: T) -> Value? {
    (value.rawValue as? any AttributeValue)?.attributeValue
  }

  private static func encoded(_ any: Any?) -> Value {
    guard let codable = any as? any Encodable, !(any is any PersistentModel) else { return .null }
    // A value that cannot be written as JSON cannot be saved as a default.
    return (try? CodableJSON.text(of: codable)).map { .json($0) } ?? .null
  }
}

/// The JSON text of `Codable` values.
///
/// Keys are sorted and there is no white space. Infinite numbers and NaN, which JSON lacks, are written as
/// text.
enum CodableJSON {
  static func text<T: Encodable>(of value: T) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: Value.text(of: .infinity),
      negativeInfinity: Value.text(of: -.infinity),
      nan: Value.text(of: .nan)
    )
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func value<T: Decodable>(of text: String, as type: T.Type) throws -> T {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: Value.text(of: .infinity),
      negativeInfinity: Value.text(of: -.infinity),
      nan: Value.text(of: .nan)
    )
    return try decoder.decode(type, from: Data(text.utf8))
  }
}
