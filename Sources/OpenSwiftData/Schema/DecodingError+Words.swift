extension DecodingError {
  /// The problem and its place in the file, in terms of the file rather than the program.
  package var words: String {
    switch self {
    case .keyNotFound(let key, let context):
      Self.path(context.codingPath) + ": missing " + Self.quoted(key)
    case .typeMismatch(let type, let context):
      Self.path(context.codingPath) + " must be " + Self.kind(type)
    case .valueNotFound(let type, let context):
      Self.path(context.codingPath) + " must be " + Self.kind(type) + ", not null"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? context.debugDescription
        : Self.path(context.codingPath) + ": " + context.debugDescription
    @unknown default: "unreadable"
    }
  }

  private static func quoted(_ key: any CodingKey) -> String { Value.quoted(key.stringValue) }

  /// The path to a value; indexes count from 1.
  private static func path(_ keys: [any CodingKey]) -> String {
    let words = keys.map { key in
      key.intValue.map { "\($0 + 1)" } ?? Value.shortened(key.stringValue)
    }
    return words.isEmpty ? "the value" : words.joined(separator: ".")
  }

  private static func kind(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
    }
  }
}
