import OpenSwiftData

/// A JSON object in one line, built member by member.
struct JSONObject {
  private var members = ""

  init(_ members: [(name: String, json: String)] = []) {
    for member in members { append(member.name, json: member.json) }
  }

  mutating func append(_ name: String, json: String) {
    if !members.isEmpty { members += "," }
    members += JSONText.quoted(name) + ":" + json
  }

  mutating func append(_ name: String, _ text: String) { append(name, json: JSONText.quoted(text)) }
  mutating func append(_ name: String, _ number: Int) { append(name, json: String(number)) }

  /// The whole object.
  var text: String { "{" + members + "}" }

  /// An array of strings.
  static func array(_ texts: some Sequence<String>) -> String {
    "[" + texts.map(JSONText.quoted).joined(separator: ",") + "]"
  }
}
