import OpenSwiftData

/// JSON text in the making.
struct JSONOutput {
  var bytes: [UInt8] = []

  mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func put(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

  /// Appends a text in quotes; characters that could hide or reorder text are escaped.
  mutating func put(quoting text: String) {
    var text = text
    let needsNoEscape = text.withUTF8 { utf8 in utf8.allSatisfy(Self.needsNoEscape) }
    if needsNoEscape {
      bytes.append(UInt8(ascii: "\""))
      text.withUTF8 { bytes.append(contentsOf: $0) }
      bytes.append(UInt8(ascii: "\""))
    } else {
      put(JSONText.quoted(text))
    }
  }

  /// Appends UTF-8 in quotes, as `put(quoting:)` does.
  mutating func put(quoting utf8: UnsafeBufferPointer<UInt8>) {
    guard utf8.allSatisfy(Self.needsNoEscape) else {
      return put(JSONText.quoted(String(decoding: utf8, as: UTF8.self)))
    }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends bytes that are JSON already.
  @inline(__always)
  mutating func put(_ utf8: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: utf8) }

  /// Appends bytes that are JSON already.
  @inline(__always)
  mutating func put(_ utf8: [UInt8]) { bytes.append(contentsOf: utf8) }

  /// True for bytes that cannot start a character that must be escaped.
  ///
  /// These are ASCII except quote, backslash and controls, and the bytes of Latin, Greek and
  /// Cyrillic letters.
  private static func needsNoEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: false
    case 0x20..<0xC0, 0xC3...0xD3: true
    default: false
    }
  }

  /// Appends a value in place of another one; parts of JSON and numbers that are the same stay as they are.
  mutating func put(_ value: Value, over old: UnsafeBufferPointer<UInt8>, _ indent: JSONIndent?) {
    switch value {
    case .json(var json): json.withUTF8 { JSONValuePatch.put($0, over: old, indent, to: &self) }
    case .number where Self.isNumber(old, value, as: .number): put(old)
    case .decimal where Self.isNumber(old, value, as: .decimal): put(old)
    default: put(value)
    }
  }

  /// True if the text is a number with the value, such as `1.50` for 1.5.
  private static func isNumber(
    _ text: UnsafeBufferPointer<UInt8>,
    _ value: Value,
    as type: AttributeType
  ) -> Bool {
    guard let first = text.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
      text.count <= longestNumber
    else { return false }
    // A text that is not a number of this type is another value.
    let known = try? Value(parsing: String(decoding: text, as: UTF8.self), as: type)
    return known?.text == value.text
  }

  /// Longer numbers are not compared, but rewritten.
  private static let longestNumber = 64

  /// Appends a value as the file shows it.
  mutating func put(_ value: Value) {
    switch value {
    case .null: put("null")
    case .boolean(let value): put(value ? "true" : "false")
    case .integer(let value): put(String(value))
    case .number(let number) where !number.isFinite: put("\"\(value.text)\"")
    case .number, .decimal: put(value.text)
    case .text(let text): put(quoting: text)
    case .json(let json): put(json)
    case .link(let identifier): put(quoting: identifier.description)
    case .links(let identifiers):
      put("[")
      for (place, identifier) in identifiers.enumerated() {
        if place > 0 { put(", ") }
        put(quoting: identifier.description)
      }
      put("]")
    default: put(quoting: value.text)
    }
  }
}
