import OpenSwiftData

/// How values are compared that a file without types has given different types, as its other values had them.
struct FileSpelling {
  /// How separated values are read; nil for JSON, where a text is never a number.
  let options: ReadingOptions?

  /// The same text for all spellings and types of a value; empty for none.
  func text(of value: Value) -> String {
    guard case .text(let text) = value, let usual = options?.usual(text) else {
      return value.spelledAlike
    }
    return Value.spelledAlike(usual)
  }

  /// The values of a record, by name, without those that are missing.
  func values(of snapshot: DefaultSnapshot) -> [String: String] {
    texts(of: zip(snapshot.layout.names, snapshot.orderedValues))
  }

  /// The texts of values, by name, without those that are missing.
  func texts(of values: some Sequence<(String, Value)>) -> [String: String] {
    var texts: [String: String] = [:]
    for (name, value) in values where !value.isNull {
      let text = text(of: value)
      if !text.isEmpty { texts[name] = text }
    }
    return texts
  }
}
