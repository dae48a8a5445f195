import OpenSwiftData

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
    withParts { parts in
      var names: [String] = []
      parts.forEachPart(in: range) { key, _ in
        if let key { names.append(parts.text(ofKey: key)) }
        return true
      }
      return names
    }
  }

  /// The number of elements of the current array; 0 for another value.
  var elementCount: Int {
    withParts { $0.elementCount(in: range) }
  }

  /// Goes into the current value; false if it has no such member or element.
  mutating func enter(_ step: JSONPath.Step) -> Bool {
    guard let found = withParts({ $0.range(of: step, in: range) }) else { return false }
    range = found
    return true
  }

  private func withParts<Result>(_ body: (JSONParts) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(JSONParts($0)) }
  }
}
