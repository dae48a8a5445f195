/// A way into a JSON value: `.login`, `[0].name`, `[-1]`, `["first name"]`.
package struct JSONPath: Hashable, Sendable {
  /// One step into an object or an array.
  package enum Step: Hashable, Sendable {
    case member(String)
    /// An element by its number from 0, or from -1 for the last one down.
    case element(Int)
  }

  package let steps: [Step]

  /// Creates a path from its steps.
  package init(_ steps: [Step]) { self.steps = steps }

  /// True if another path leads to the same place in some values, or into it: an element may be counted from both ends.
  package func mayHold(_ other: JSONPath) -> Bool {
    steps.count <= other.steps.count
      && zip(steps, other.steps).allSatisfy { step, other in
        guard case .element(let one) = step, case .element(let two) = other else {
          return step == other
        }
        return one == two || (one < 0) != (two < 0)
      }
  }

  /// Reads the part of a path after the name of a field; nil if it is none.
  package init?(_ text: Substring) {
    var rest = text
    var steps: [Step] = []
    while let first = rest.first {
      switch first {
      case ".":
        let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        steps.append(.member(String(name)))
        rest = rest[name.endIndex...]
      case "[":
        guard let (step, end) = Self.bracket(rest) else { return nil }
        steps.append(step)
        rest = rest[end...]
      default: return nil
      }
    }
    guard !steps.isEmpty else { return nil }
    self.steps = steps
  }

  /// Reads `[0]`, `[-1]` or `["name"]`.
  private static func bracket(_ text: Substring) -> (Step, Substring.Index)? {
    let inside = text.dropFirst()
    if inside.first == "\"" {
      var reader = JSONReader(Array(inside.utf8))
      guard case .text(let name)? = try? reader.next() else { return nil }
      let end = inside.utf8.index(inside.startIndex, offsetBy: reader.position)
      guard end < text.endIndex, text[end] == "]" else { return nil }
      return (.member(name), text.index(after: end))
    }
    let digits = inside.prefix { $0 == "-" || ($0.isASCII && $0.isNumber) }
    guard let number = Int(digits), digits.endIndex < text.endIndex, text[digits.endIndex] == "]"
    else { return nil }
    return (.element(number), text.index(after: digits.endIndex))
  }

  /// The path as it is written after the name of a field.
  package var text: String {
    steps.map { step in
      switch step {
      case .element(let number): "[\(number)]"
      case .member(let name):
        name.isEmpty || name.contains(where: { ".[]".contains($0) || $0.isWhitespace })
          ? "[\(JSONText.quoted(name))]" : ".\(name)"
      }
    }.joined()
  }

  // MARK: Reading

  /// The value at the end of the path as JSON; nil if there is none.
  ///
  /// - Complexity: O(n) in the length of the JSON.
  package func json(in json: String) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      range(in: bytes).map {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[$0]), as: UTF8.self)
      }
    }
  }

  /// The place of the value at the end of the path; nil if there is none.
  ///
  /// - Complexity: O(n) in the number of bytes up to its end.
  package func range(in json: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    let parts = JSONParts(json)
    var range = 0..<json.count
    for step in steps {
      guard let next = parts.range(of: step, in: range) else { return nil }
      range = next
    }
    return range
  }

  /// The value at the end of the path; null if there is none.
  package func value(in value: Value) -> Value {
    guard case .json(let json) = value, let found = self.json(in: json) else { return .null }
    return Value(memberJSON: found)
  }
}

extension Value {
  /// The value of JSON that is part of another one: a text, a number or a truth value; an object or an array stays JSON.
  package init(memberJSON json: String) {
    var reader = JSONReader(Array(json.utf8))
    // The JSON of a field was checked when it was stored.
    self = (try? reader.next()).map { Value($0) } ?? .null
  }

  /// The value of a part of JSON: a whole number, a decimal if it is exact as one, else a binary number.
  package init(_ item: JSONReader.Item) {
    switch item {
    case .null: self = .null
    case .boolean(let isTrue): self = .boolean(isTrue)
    case .text(let text): self = .text(text)
    case .container(let text): self = .json(text)
    case .number(let text):
      if let whole = Int64(text) {
        self = .integer(whole)
      } else if let exact = try? Value(parsing: text, as: .decimal) {
        self = exact
      } else {
        self = (try? Value(parsing: text, as: .number)) ?? .text(text)
      }
    }
  }
}
