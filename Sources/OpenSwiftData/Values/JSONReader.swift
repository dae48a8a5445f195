/// Reads JSON text incrementally: the caller iterates over arrays and objects.
///
/// Numbers keep their original text.
///
/// Confined to one thread. Besides the text, it holds only one value.
package struct JSONReader {
  /// One value; arrays and objects are text.
  package enum Item: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number as it was written.
    case number(String)
    /// A string without quotes and escapes.
    case text(String)
    /// An array or an object as JSON without white space between its tokens.
    case container(String)
  }

  private var scanner: JSONTextScanner
  /// True if a value may be NaN, Infinity or -Infinity, as Python writes them; they are read as null.
  package var acceptsNotANumber = false
  /// The number of these values so far.
  package private(set) var notANumberCount = 0

  /// Creates a reader over UTF-8 text.
  package init(_ bytes: [UInt8]) {
    scanner = JSONTextScanner(bytes)
  }

  /// The number of bytes read so far.
  package var position: Int { scanner.position }

  /// True when only white space is left.
  package var isAtEnd: Bool {
    mutating get { scanner.peek() == nil }
  }

  /// True when the next value is an array.
  package var isAtArray: Bool {
    mutating get { scanner.peek() == UInt8(ascii: "[") }
  }

  /// True when the next value is an object.
  package var isAtObject: Bool {
    mutating get { scanner.peek() == UInt8(ascii: "{") }
  }

  /// Reads one value.
  ///
  /// - Throws: `ValueError` with the byte and what was expected there.
  package mutating func next() throws(ValueError) -> Item {
    if acceptsNotANumber, scanner.takeNotANumber() {
      notANumberCount += 1
      return .null
    }
    try scanner.scanValue()
    let output = scanner.output
    switch output[0] {
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "t"): return .boolean(true)
    case UInt8(ascii: "f"): return .boolean(false)
    case UInt8(ascii: "\""): return .text(try Self.unescaped(output[1..<(output.count - 1)]))
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      return .container(String(decoding: output, as: UTF8.self))
    default: return .number(String(decoding: output, as: UTF8.self))
    }
  }

  /// Iterates over an array; the closure must read one value per call.
  ///
  /// - Throws: `ValueError` when the value is not an array, or the error of the closure.
  package mutating func forEachElement(_ body: (inout JSONReader) throws -> Void) throws {
    guard scanner.take(UInt8(ascii: "[")) else { throw scanner.wrong("an array") }
    if scanner.take(UInt8(ascii: "]")) { return }
    repeat { try body(&self) } while scanner.take(UInt8(ascii: ","))
    guard scanner.take(UInt8(ascii: "]")) else { throw scanner.wrong("a comma or ]") }
  }

  /// Skips one value, in which `NaN` and the like can be at any depth, and returns its place.
  ///
  /// - Throws: `ValueError` with the byte and what was expected there.
  package mutating func skip() throws(ValueError) -> Range<Int> {
    _ = scanner.peek()
    let start = scanner.position
    scanner.acceptsNotANumber = true
    defer { scanner.acceptsNotANumber = false }
    try scanner.scanValue()
    return start..<scanner.position
  }

  /// Iterates over an object; the closure gets each key and must read its value.
  ///
  /// - Throws: `ValueError` when the value is not an object or has a key twice, or the error of the closure.
  package mutating func forEachMember(_ body: (String, inout JSONReader) throws -> Void) throws {
    guard scanner.take(UInt8(ascii: "{")) else { throw scanner.wrong("an object") }
    if scanner.take(UInt8(ascii: "}")) { return }
    var keys: Set<String> = []
    repeat {
      guard scanner.peek() == UInt8(ascii: "\"") else {
        throw scanner.wrong("a key in double quotes")
      }
      let start = scanner.position
      guard case .text(let key) = try next() else { preconditionFailure("a quote begins a text") }
      guard keys.insert(key).inserted else { throw scanner.duplicate(key, at: start) }
      guard scanner.take(UInt8(ascii: ":")) else { throw scanner.wrong("a colon") }
      try body(key, &self)
    } while scanner.take(UInt8(ascii: ","))
    guard scanner.take(UInt8(ascii: "}")) else { throw scanner.wrong("a comma or }") }
  }

  /// The text of a string whose escapes are already validated.
  package static func unescaped(_ bytes: ArraySlice<UInt8>) throws(ValueError) -> String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    var units: [UInt16] = []
    var result = ""
    func flush() throws(ValueError) {
      guard let text = String(validating: units, as: UTF16.self) else {
        throw ValueError("invalid JSON: unpaired surrogate")
      }
      result += text
      units.removeAll(keepingCapacity: true)
    }
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        try flush()
        let end = rest.firstIndex(of: UInt8(ascii: "\\")) ?? rest.endIndex
        result += String(decoding: bytes[(rest.startIndex - 1)..<end], as: UTF8.self)
        rest = rest[end...]
        continue
      }
      units.append(Self.unit(escape, &rest))
    }
    try flush()
    return result
  }

  private static func unit(_ escape: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt16 {
    switch escape {
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "f"): return 12
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "u"):
      let digits = rest.prefix(4)
      rest = rest.dropFirst(4)
      return UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
    default: return UInt16(escape)
    }
  }
}
