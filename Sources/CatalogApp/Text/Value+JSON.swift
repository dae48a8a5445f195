package import OpenSwiftData

extension Value {
  /// The value as JSON.
  package var jsonText: String {
    switch self {
    case .null: "null"
    case .number(let number) where !number.isFinite: JSONText.quoted(text)
    case .boolean, .integer, .number, .decimal: text
    case .json(let text): JSONText.escapingInvisible(text)
    case .links(let identifiers):
      "[" + identifiers.map { JSONText.quoted($0.description) }.joined(separator: ", ") + "]"
    default: JSONText.quoted(text)
    }
  }
}
