package import OpenSwiftData

/// A way into a JSON value: `.login`, `[0].name`, `["first name"]`.
package struct JSONPath: Hashable, Sendable {
  /// One step into an object or an array.
  package enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  package let steps: [Step]

  /// Creates a path from its steps.
  package init(_ steps: [Step]) { self.steps = steps }

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

  /// Reads `[0]` or `["name"]`.
  private static func bracket(_ text: Substring) -> (Step, Substring.Index)? {
    let inside = text.dropFirst()
    if inside.first == "\"" {
      var reader = JSONReader(Array(inside.utf8))
      guard case .text(let name)? = try? reader.next() else { return nil }
      let end = inside.utf8.index(inside.startIndex, offsetBy: reader.position)
      guard end < text.endIndex, text[end] == "]" else { return nil }
      return (.member(name), text.index(after: end))
    }
    let digits = inside.prefix { $0.isASCII && $0.isNumber }
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
    var scanner = JSONMemberScanner(json)
    for step in steps {
      guard scanner.enter(step) else { return nil }
    }
    return scanner.value
  }

  /// The value at the end of the path; null if there is none.
  package func value(in value: Value) -> Value {
    guard case .json(let json) = value, let found = self.json(in: json) else { return .null }
    return Value(memberJSON: found)
  }

  // MARK: Writing

  /// The JSON with another value at the end of the path; objects that are missing on the way are added.
  ///
  /// - Throws: `CommandError` for an element that an array does not have, and for a step into another kind of value.
  package func replacing(in json: String?, with new: String) throws(CommandError) -> String {
    try Self.replacing(steps[...], in: json, with: new)
  }

  private static func replacing(_ steps: ArraySlice<Step>, in json: String?, with new: String)
    throws(CommandError) -> String
  {
    guard let step = steps.first else { return new }
    let json = json == "null" ? nil : json
    var scanner = JSONMemberScanner(json ?? "{}")
    if json != nil || step.isMember, scanner.enter(step) {
      let inner = try replacing(steps.dropFirst(), in: scanner.value, with: new)
      return scanner.replacingValue(with: inner)
    }
    let inner = try replacing(steps.dropFirst(), in: nil, with: new)
    guard case .member(let name) = step else {
      throw CommandError("the array has no element \(JSONPath([step]).text)", code: .invalidValue)
    }
    let object = json ?? "{}"
    guard object.first == "{" else {
      throw CommandError(
        "\(Value.quoted(Value.shortened(object))) is not an object with a member \(Value.quoted(name))",
        code: .invalidValue
      )
    }
    let isEmpty = object.dropFirst().first == "}"
    return "\(object.dropLast())\(isEmpty ? "" : ",")\(JSONText.quoted(name)):\(inner)}"
  }
}

extension JSONPath.Step {
  fileprivate var isMember: Bool {
    if case .member = self { true } else { false }
  }
}

extension Value {
  /// A value inside a JSON value: a text, a number or a truth value; an object or an array stays JSON.
  package init(memberJSON json: String) {
    var reader = JSONReader(Array(json.utf8))
    // The JSON of a field was checked when it was stored.
    switch try? reader.next() {
    case .null?, nil: self = .null
    case .boolean(let isTrue)?: self = .boolean(isTrue)
    case .text(let text)?: self = .text(text)
    case .container(let text)?: self = .json(text)
    case .number(let text)?:
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

/// Finds members and elements in valid JSON without white space between its tokens.
struct JSONMemberScanner {
  private let bytes: [UInt8]
  private var range: Range<Int>

  /// Starts with the whole value.
  init(_ json: String) {
    bytes = Array(json.utf8)
    range = 0..<bytes.count
  }

  /// The JSON of the current value.
  var value: String { String(decoding: bytes[range], as: UTF8.self) }

  /// The whole JSON with another current value.
  func replacingValue(with new: String) -> String {
    String(
      decoding: bytes[..<range.lowerBound] + Array(new.utf8) + bytes[range.upperBound...],
      as: UTF8.self
    )
  }

  /// The names of the members of the current object, in order; empty for another value.
  var memberNames: [String] {
    var names: [String] = []
    forEachPart { name, _ in
      if let name { names.append(name) }
      return true
    }
    return names
  }

  /// The number of elements of the current array; 0 for another value.
  var elementCount: Int {
    var count = 0
    forEachPart { name, _ in
      if name == nil { count += 1 }
      return true
    }
    return count
  }

  /// Goes into the current value; false if it has no such member or element.
  mutating func enter(_ step: JSONPath.Step) -> Bool {
    var found: Range<Int>?
    var place = 0
    forEachPart { name, part in
      switch step {
      case .member(let wanted): if name == wanted { found = part }
      case .element(let number): if name == nil, place == number { found = part }
      }
      place += 1
      return found == nil
    }
    guard let found else { return false }
    range = found
    return true
  }

  /// Calls the body with the members or elements until it returns false.
  private func forEachPart(_ body: (String?, Range<Int>) -> Bool) {
    guard let open = range.first.map({ bytes[$0] }),
      open == UInt8(ascii: "{") || open == UInt8(ascii: "[")
    else { return }
    var place = range.lowerBound + 1
    let end = range.upperBound - 1
    while place < end {
      var name: String?
      if open == UInt8(ascii: "{") {
        let key = place..<endOfString(from: place)
        // The key of valid JSON can be decoded.
        name = (try? JSONReader.unescaped(bytes[(key.lowerBound + 1)..<(key.upperBound - 1)])) ?? ""
        place = key.upperBound + 1
      }
      let stop = endOfValue(from: place)
      guard body(name, place..<stop) else { return }
      place = stop + 1
    }
  }

  private func endOfString(from start: Int) -> Int {
    var place = start + 1
    while place < range.upperBound, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place + 1, range.upperBound)
  }

  private func endOfValue(from start: Int) -> Int {
    var place = start
    var depth = 0
    while place < range.upperBound {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = endOfString(from: place)
        if depth == 0 { return place }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return place }
        depth -= 1
        if depth == 0 { return place + 1 }
      case UInt8(ascii: ","): if depth == 0 { return place }
      default: break
      }
      place += 1
    }
    return range.upperBound
  }
}
