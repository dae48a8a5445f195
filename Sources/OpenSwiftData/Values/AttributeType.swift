/// The kind of values an attribute holds, spelled in schemas and on the command line as here.
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

  /// True when there are values of the kind that no store keeps; see `Value.brokenRule`.
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

  /// The type of a kind that refers to no entity; nil for the others.
  init?(_ kind: ValueKind) {
    guard let known = Self.simple.first(where: { $0.1.kind == kind }) else { return nil }
    self = known.1
  }

  /// Every spelling, for messages that say what would have been right.
  public static let spellings = simple.map(\.0) + ["link:ENTITY", "links:ENTITY"]

  /// The type as a schema spells it.
  public var description: String {
    switch self {
    case .link(let entity): "link:\(entity)"
    case .links(let entity): "links:\(entity)"
    default: Self.simple.first { $0.1 == self }?.0 ?? ""
    }
  }

  /// Reads the spelling of a schema; nil when it is none.
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
