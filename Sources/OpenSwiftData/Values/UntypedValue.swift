import Foundation

/// A value in a form that JSON and other coders support, without its attribute's type.
///
/// Snapshots encode their values this way; after decoding, `value(as:)` restores their types.
struct UntypedValue: Codable {
  private let value: Value

  init(_ value: Value) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    if case .links(let identifiers) = value { return try identifiers.encode(to: encoder) }
    var container = encoder.singleValueContainer()
    switch value {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value) where !value.isFinite:
      // Most coders have no form for it.
      try container.encode(Value.text(of: value))
    case .number(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .text(let value), .json(let value): try container.encode(value)
    case .datetime(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value)
    case .link(let value): try container.encode(value)
    case .links: break
    default: try container.encode(value.text)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Failed attempts are slow, so the most common kinds come first. Decimal comes before Double because it
    // is exact; Double follows because its range is larger.
    if container.decodeNil() {
      value = .null
    } else if let text = try? container.decode(String.self) {
      value = .text(text)
    } else if let integer = try? container.decode(Int64.self) {
      // A decoder that uses the nearest float reads 4687322605740829.4255 as a whole number.
      let exact = (try? container.decode(Decimal.self)) ?? Decimal(integer)
      value = exact == Decimal(integer) ? .integer(integer) : .decimal(exact)
    } else if let boolean = try? container.decode(Bool.self) {
      value = .boolean(boolean)
    } else if let link = try? container.decode(PersistentIdentifier.self) {
      value = .link(link)
    } else if let links = try? container.decode([PersistentIdentifier].self) {
      value = .links(links)
    } else if let number = try? container.decode(Decimal.self) {
      value = .decimal(number)
    } else {
      value = .number(try container.decode(Double.self))
    }
  }

  /// The value converted to the type; unchanged if that is not possible, so that checks can report it.
  func value(as type: AttributeType) -> Value {
    value.coerced(to: type)
  }

  /// The value as it was read.
  var untyped: Value { value }
}

extension Value {
  /// The value converted to the type's kind if nothing is lost; otherwise unchanged.
  package func coerced(to type: AttributeType) -> Value {
    switch (self, type) {
    case (.integer(let value), .number) where Int64(exactly: Double(value)) == value:
      return .number(Double(value))
    case (.integer(let value), .decimal): return .decimal(Decimal(value))
    case (.number(let value), .integer):
      return Int64(exactly: value).map { .integer($0) } ?? self
    case (.number, .decimal): return asDecimal.map { .decimal($0) } ?? self
    case (.decimal(let value), .number):
      return Value.number(exactly: value).map { .number($0) } ?? self
    case (.decimal(let value), .integer):
      return Int64(value.description).map { .integer($0) } ?? self
    case (.integer(let value), .datetime):
      return .datetime(Date(timeIntervalSinceReferenceDate: Double(value)))
    case (.number(let value), .datetime):
      return .datetime(Date(timeIntervalSinceReferenceDate: value))
    case (.decimal, .datetime):
      return .datetime(Date(timeIntervalSinceReferenceDate: asDouble ?? 0))
    case (.text(let text), let type) where type.kind.isCodedAsText:
      do { return try Value(parsing: text, as: type) } catch { return self }
    case (.text(let text), .json): return .json(text)
    case (.text(let text), .number): return Value.infiniteNumber(text).map { .number($0) } ?? self
    case (.link(let link), .links): return .links([link])
    default: return self
    }
  }
}
