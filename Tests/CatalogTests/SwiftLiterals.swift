/// Finds the string literals of a Swift source, except those in certain calls.
///
/// It parses only what is needed: comments, all forms of strings, interpolations, regular
/// expressions and parentheses.
struct SwiftLiterals {
  /// The texts with `{…}` for interpolations; literals joined by `+` are one text.
  var texts: [String] { literals.map(\.text) }

  /// A text, and the names of the calls whose arguments contain it.
  struct Literal: Hashable {
    var text: String
    let calls: [String]
  }

  private(set) var literals: [Literal] = []

  private let bytes: [UInt8]
  private var place = 0
  /// The names before the open parentheses.
  private var calls: [String] = []
  /// The last byte before the current one, except white space.
  private var previous = UInt8(ascii: "\n")
  /// The end of the last literal, and the index of its text if the text was kept.
  private var last: (end: Int, index: Int)?
  private let isIgnored: (String) -> Bool

  /// Reads a source.
  ///
  /// - Complexity: O(n) in its size.
  init(in source: String, ignoringCalls isIgnored: @escaping (String) -> Bool) {
    bytes = Array(source.utf8) + [0, 0, 0, 0]
    self.isIgnored = isIgnored
    read(until: bytes.count - 4)
  }

  /// Reads code up to an offset, or up to the parenthesis that closes an interpolation.
  private mutating func read(until end: Int, closing: Bool = false) {
    var depth = 0
    while place < end {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "/") where bytes[place + 1] == UInt8(ascii: "/"):
        while place < end, bytes[place] != UInt8(ascii: "\n") { place += 1 }
        continue
      case UInt8(ascii: "/") where beginsRegularExpression: skipRegularExpression()
      case UInt8(ascii: "\""), UInt8(ascii: "#"):
        if let hashes = hashesOfLiteral { literal(hashes) } else { place += 1 }
      case UInt8(ascii: "("):
        depth += 1
        calls.append(name(before: place))
        place += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if closing, depth < 0 { return }
        _ = calls.popLast()
        place += 1
      default: place += 1
      }
      if byte > UInt8(ascii: " ") { previous = byte }
    }
  }

  /// The number of `#` before a literal that begins here; nil if none does.
  private var hashesOfLiteral: Int? {
    var hashes = 0
    while bytes[place + hashes] == UInt8(ascii: "#") { hashes += 1 }
    return bytes[place + hashes] == UInt8(ascii: "\"") ? hashes : nil
  }

  private var beginsRegularExpression: Bool {
    "(,:=[".utf8.contains(previous) && bytes[place + 1] > UInt8(ascii: " ")
      && bytes[place + 1] != UInt8(ascii: "*")
  }

  private mutating func skipRegularExpression() {
    place += 1
    while bytes[place] != UInt8(ascii: "/"), bytes[place] != UInt8(ascii: "\n") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    place += 1
  }

  private func name(before end: Int) -> String {
    var start = end
    while start > 0, Self.isLetter(bytes[start - 1]) { start -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (byte | 0x20) &- 97 < 26 || byte &- 48 < 10
  }

  private mutating func literal(_ hashes: Int) {
    let start = place
    let quotes =
      bytes[(place + hashes)...].starts(with: "\"\"\"".utf8)
        && !bytes[(place + hashes)...].starts(with: "\"\"\"\"".utf8) ? 3 : 1
    let hashText = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let closing = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + hashText
    let escape = [UInt8(ascii: "\\")] + hashText
    let joined = last.flatMap { joins($0.end..<start) ? $0.index : nil }
    let index = literals.endIndex
    place += hashes + quotes
    var text: [UInt8] = []
    while place < bytes.count - 4, !bytes[place...].starts(with: closing) {
      guard bytes[place...].starts(with: escape) else {
        text.append(bytes[place])
        place += 1
        continue
      }
      place += escape.count
      if bytes[place] == UInt8(ascii: "(") {
        place += 1
        calls.append("")
        read(until: bytes.count - 4, closing: true)
        _ = calls.popLast()
        text += Array("{…}".utf8)
      } else {
        text += bytes[place] == UInt8(ascii: "n") ? Array("\n".utf8) : [bytes[place]]
      }
      place += 1
    }
    place += closing.count
    keep(String(decoding: text, as: UTF8.self), at: index, joined, isBlock: quotes == 3)
  }

  private mutating func keep(_ text: String, at index: Int, _ joined: Int?, isBlock: Bool) {
    guard !calls.contains(where: isIgnored) else {
      last = nil
      return
    }
    let text = isBlock ? Self.unfolded(text) : text
    if let joined {
      literals[joined].text += text
    } else {
      literals.insert(Literal(text: text, calls: calls), at: index)
    }
    last = (place, joined ?? index)
  }

  /// True when the range contains only a plus sign.
  private func joins(_ range: Range<Int>) -> Bool {
    bytes[range].filter { $0 > UInt8(ascii: " ") } == [UInt8(ascii: "+")]
  }

  /// A block of lines as one line, because it is wrapped only for the source.
  private static func unfolded(_ text: String) -> String {
    text.split(separator: "\n").map { line in line.drop { $0 == " " } }.joined(separator: " ")
  }
}
