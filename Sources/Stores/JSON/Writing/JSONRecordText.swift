import Foundation

/// The members of one record as written; the text is known to be a JSON object.
struct JSONRecordText {
  /// One member, in offsets within the text of the record.
  struct Member {
    /// With the quotes.
    let key: Range<Int>
    let value: Range<Int>
  }

  let text: UnsafeBufferPointer<UInt8>
  private(set) var members: [Member] = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    var position = 1
    while true {
      position = skipSpace(position)
      if text[position] == UInt8(ascii: "}") { return }
      if text[position] == UInt8(ascii: ",") { position = skipSpace(position + 1) }
      let keyEnd = text.endOfJSONString(from: position)
      let start = skipSpace(skipSpace(keyEnd) + 1)
      let end = text.endOfJSONValue(from: start)
      members.append(Member(key: position..<keyEnd, value: start..<end))
      position = end
    }
  }

  /// True if the key of the member is the name.
  func isKey(_ member: Member, _ name: [UInt8]) -> Bool {
    let written = text[(member.key.lowerBound + 1)..<(member.key.upperBound - 1)]
    guard written.contains(UInt8(ascii: "\\")) else { return written.elementsEqual(name) }
    return self.name(of: member).utf8.elementsEqual(name)
  }

  /// The key of a member, without quotes and escapes.
  func name(of member: Member) -> String {
    let written = text[(member.key.lowerBound + 1)..<(member.key.upperBound - 1)]
    guard written.contains(UInt8(ascii: "\\")) else {
      return String(decoding: written, as: UTF8.self)
    }
    // The text was parsed before, so it is valid JSON.
    return (try? JSONDecoder().decode(String.self, from: Data(text[member.key]))) ?? ""
  }

  private func skipSpace(_ start: Int) -> Int {
    var position = start
    while text[position] <= 0x20 { position += 1 }
    return position
  }
}

/// A member of an object of records: a name, and the record.
struct JSONNamedRecord {
  /// The name in quotes.
  let name: UnsafeBufferPointer<UInt8>
  /// The colon and the white space around it.
  let colon: UnsafeBufferPointer<UInt8>
  let record: UnsafeBufferPointer<UInt8>

  init(_ text: UnsafeBufferPointer<UInt8>) {
    var end = 1
    while text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    end += 1
    var start = end
    while text[start] != UInt8(ascii: "{") { start += 1 }
    name = UnsafeBufferPointer(rebasing: text[..<end])
    colon = UnsafeBufferPointer(rebasing: text[end..<start])
    record = UnsafeBufferPointer(rebasing: text[start...])
  }
}

/// The formatting of records: the whitespace between their parts.
struct JSONStyle: Sendable {
  /// Between the opening brace and the first key.
  var open: [UInt8] = []
  /// Between key and value.
  var colon = Array(": ".utf8)
  /// Between a value and the next key.
  var comma = Array(", ".utf8)
  /// Between the last value and the closing brace.
  var close: [UInt8] = []
  /// The indentation of values with parts; nil if they stay on one line.
  var indent: JSONIndent?

  /// The default style: one line.
  init() {}

  /// The style of a record with members; what a single member does not show is derived from the
  /// others.
  init?(_ record: JSONRecordText) {
    guard let first = record.members.first, let last = record.members.last else { return nil }
    let text = record.text
    open = Array(text[1..<first.key.lowerBound])
    colon = Array(text[first.key.upperBound..<first.value.lowerBound])
    close = Array(text[last.value.upperBound..<(text.count - 1)])
    if record.members.count > 1 {
      let second = record.members[record.members.count - 1]
      let before = record.members[record.members.count - 2]
      comma = Array(text[before.value.upperBound..<second.key.lowerBound])
    } else if open.contains(UInt8(ascii: "\n")) {
      comma = [UInt8(ascii: ",")] + open
    } else {
      comma = Array((isSpacious ? ", " : ",").utf8)
    }
    let values = record.members.lazy.map { text[$0.value] }
    indent = JSONIndent(open: open, close: close, colon: colon, values: values)
  }

  /// True if a space follows a colon.
  var isSpacious: Bool { colon.last == UInt8(ascii: " ") }
}
