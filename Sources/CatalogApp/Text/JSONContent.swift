import OpenSwiftData

/// JSON compared by what it means: neither white space nor the order of members, the escapes in strings nor the
/// spelling of numbers make a difference.
enum JSONContent {
  /// A spelling that two JSON texts with the same content have in common; the text itself if it is not JSON.
  ///
  /// - Complexity: O(n log n) in the length of the text.
  static func canonical(_ text: String) -> String {
    var reader = JSONReader(Array(text.utf8))
    // Text that is not JSON has no content besides itself.
    return (try? canonical(&reader)) ?? text
  }

  private static func canonical(_ reader: inout JSONReader) throws -> String {
    if reader.isAtArray {
      var elements: [String] = []
      try reader.forEachElement { elements.append(try canonical(&$0)) }
      return "[" + elements.joined(separator: ",") + "]"
    }
    if reader.isAtObject {
      var members: [(name: String, value: String)] = []
      try reader.forEachMember { members.append(($0, try canonical(&$1))) }
      members.sort { $0.name.unicodeScalars.lexicographicallyPrecedes($1.name.unicodeScalars) }
      return "{"
        + members.map { JSONText.quoted($0.name) + ":" + $0.value }.joined(separator: ",") + "}"
    }
    return switch try reader.next() {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .number(let text): number(text)
    case .text(let text): JSONText.quoted(text)
    case .container(let text): text
    }
  }

  /// The number in its shortest form; as it is written if it has too many digits for that.
  private static func number(_ text: String) -> String {
    guard let value = try? Value(parsing: text, as: .decimal), value.text.utf8.count < 38 else {
      return text
    }
    return value.text
  }
}

extension Value {
  /// JSON in a spelling that all JSON with the same content has; other values as they are.
  var byContent: Value {
    if case .json(let text) = self { .json(JSONContent.canonical(text)) } else { self }
  }

  /// True for equal values, and for JSON with the same content.
  func hasSameContent(as other: Value) -> Bool {
    if self == other { return true }
    guard case .json(let own) = self, case .json(let others) = other else { return false }
    return JSONContent.canonical(own) == JSONContent.canonical(others)
  }
}
