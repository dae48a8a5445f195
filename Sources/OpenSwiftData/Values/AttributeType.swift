/// The type of an attribute's values; the spellings are those of schemas and the command line.
public enum AttributeType: Hashable, Sendable {
  /// Unicode text, `text`.
  case text
  /// A whole number of 64 bits, `integer`.
  case integer
  /// A binary floating-point number of 64 bits, `number`.
  case number
  /// An exact decimal number of up to 38 digits, `decimal`.
  case decimal
  /// True or false, `boolean`.
  case boolean
  /// A day without a time, `date`.
  case date
  /// A moment, `datetime`.
  case datetime
  /// A universally unique identifier, `uuid`.
  case uuid
  /// Any JSON value, kept as its text, `json`.
  case json
  /// A reference to one record of the named entity, `link:ENTITY`.
  case link(String)
  /// References to records of the named entity in order, `links:ENTITY`.
  case links(String)

  /// True for integer, number and decimal.
  public var isNumeric: Bool { kind.isNumeric }

  /// True when the kind has values that no store can save; see `Value.brokenRule`.
  var isLimited: Bool { kind.isLimited }

  /// The name of the entity that a link or links attribute refers to.
  public var destination: String? {
    switch self {
    case .link(let entity), .links(let entity): entity
    default: nil
    }
  }
}

extension AttributeType: CustomStringConvertible, LosslessStringConvertible {
  private static let simple: [(String, AttributeType)] = [
    ("text", .text), ("integer", .integer), ("number", .number), ("decimal", .decimal),
    ("boolean", .boolean), ("date", .date), ("datetime", .datetime), ("uuid", .uuid),
    ("json", .json),
  ]

  /// Creates the type of a kind without a destination entity; nil for links.
  package init?(_ kind: ValueKind) {
    guard let known = Self.simple.first(where: { $0.1.kind == kind }) else { return nil }
    self = known.1
  }

  /// All spellings, for messages that list the valid ones.
  public static let spellings = simple.map(\.0) + ["link:ENTITY", "links:ENTITY"]

  /// The type as a schema spells it.
  public var description: String {
    switch self {
    case .link(let entity): "link:\(entity)"
    case .links(let entity): "links:\(entity)"
    default: Self.simple.first { $0.1 == self }?.0 ?? ""
    }
  }

  /// Parses the spelling of a schema; nil if it is invalid.
  public init?(_ description: String) {
    if let known = Self.simple.first(where: { $0.0 == description }) {
      self = known.1
    } else if description.hasPrefix("link:"), description.utf8.count > 5 {
      self = .link(String(description.dropFirst(5)))
    } else if description.hasPrefix("links:"), description.utf8.count > 6 {
      self = .links(String(description.dropFirst(6)))
    } else {
      return nil
    }
  }
}
