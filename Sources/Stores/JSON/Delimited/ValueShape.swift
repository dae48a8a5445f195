/// What the beginning of a file tells about a value: its kind, and the shape of a code.
///
/// Wider than the types of fields: `$5`, `12,50` and `08/01/2016` are texts, but no names of columns.
enum ValueKindSeen: Equatable { case number, date, time, boolean, link }

/// One value of the beginning of a file, without blanks around it.
struct SeenText: Equatable {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    guard let first = bytes.firstIndex(where: { !Self.isBlank($0) }),
      let last = bytes.lastIndex(where: { !Self.isBlank($0) })
    else {
      self.bytes = []
      return
    }
    self.bytes = bytes[first...last]
  }

  init(_ text: String) { self.init(Array(text.utf8)[...]) }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// The bytes with small letters instead of capital ones.
  var lowercased: [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }

  /// True for a word that stands for a missing value in many files, and for nothing.
  var isMissing: Bool {
    if bytes.isEmpty { return true }
    if bytes.count > 4 { return false }
    return Self.missingWords.contains(lowercased)
  }

  /// True for a word that stands for a missing value and is no name.
  var isMissingWord: Bool { bytes.count <= 4 && Self.unnamedWords.contains(lowercased) }

  private static let missingWords = Set(
    ["", "na", "n/a", "nan", "null", "none", "-", "--", ".", "?", "nil", "#n/a", "*"].map {
      Array($0.utf8)
    }
  )
  private static let unnamedWords = Set(
    ["na", "n/a", "nan", "null", "#n/a"].map { Array($0.utf8) }
  )

  /// The number of characters.
  var characterCount: Int { bytes.count { $0 & 0xC0 != 0x80 } }

  /// The number of digits.
  var digitCount: Int { bytes.count { (0x30...0x39).contains($0) } }

  /// True for a year from 1900 to 2100.
  var isYear: Bool {
    guard bytes.count == 4, digitCount == 4 else { return false }
    return (1900...2100).contains(bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  /// The value of a whole number of at most six digits; nil for anything else.
  var smallInteger: Int? {
    let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes
    guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return digits.count == bytes.count ? value : -value
  }

  /// True for letters, digits, `_`, `.` and `#`, not beginning with a digit.
  var isIdentifier: Bool {
    guard let first = bytes.first, Self.isWord(first) || first == 0x23 || first == 0x2E,
      !(0x30...0x39).contains(first), first < 0x80
    else { return false }
    return bytes.allSatisfy { Self.isWord($0) || $0 == 0x23 || $0 == 0x2E }
  }

  /// True for an identifier without capital letters.
  var isPlainName: Bool { isIdentifier && !bytes.contains { (0x41...0x5A).contains($0) } }

  /// The shape of a code, with 9 for digits, a and A for letters; nil without a digit, or for a sentence.
  var shape: [UInt8]? {
    guard (2...40).contains(bytes.count), !bytes.contains(0x20), digitCount > 0,
      bytes.contains(where: { Self.isLetter($0) || "-/._:#".utf8.contains($0) })
    else { return nil }
    return bytes.map { byte in
      switch byte {
      case 0x30...0x39: UInt8(ascii: "9")
      case 0x61...0x7A: UInt8(ascii: "a")
      case 0x41...0x5A: UInt8(ascii: "A")
      default: byte
      }
    }
  }

  /// The text before a number at the end, and the number; nil without both.
  var stem: (name: ArraySlice<UInt8>, number: Int)? {
    guard let last = bytes.lastIndex(where: { !(0x30...0x39).contains($0) }) else { return nil }
    let digits = bytes[(last + 1)...]
    guard (1...9).contains(digits.count) else { return nil }
    return (bytes[...last], digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
  }
  static func isWord(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
  }
}

extension SeenText {
  /// The kind of the value; nil for text.
  var kind: ValueKindSeen? {
    guard let first = bytes.first, let last = bytes.last else { return nil }
    if bytes.count > 40 { return isLink ? .link : nil }
    let beginsLikeNumber =
      (0x30...0x39).contains(first) || "+-.,($".utf8.contains(first) || last == UInt8(ascii: "%")
      || Self.currencies.contains { bytes.starts(with: $0) } || bytes.ends(with: Self.euro)
      || last == UInt8(ascii: "$")
    if beginsLikeNumber {
      if isNumber { return .number }
      if isDate { return .date }
      if isTime { return .time }
      return isMoney ? .number : nil
    }
    if isDate { return .date }
    if bytes.count <= 5, ["true", "false"].contains(String(decoding: lowercased, as: UTF8.self)) {
      return .boolean
    }
    return isLink ? .link : nil
  }

  private static let euro = Array("€".utf8)
  private static let signs = ["$", "€", "£", "¥"].map { Array($0.utf8) }
  private static let currencies = signs + ["USD", "EUR", "CHF", "GBP"].map { Array($0.utf8) }
  private static let groupSigns = [",", ".", "'", "\u{A0}", "\u{202F}", " "].map { Array($0.utf8) }

  /// True for a number in any of the forms that people write, with a point or a comma.
  private var isNumber: Bool {
    matches { $0.number() } || matches { $0.numberWithComma() }
      || Self.groupSigns.contains { sign in matches { $0.groupedNumber(sign) } }
  }

  /// True for a number with a currency, a percent sign or parentheses.
  private var isMoney: Bool {
    var rest = TextPattern(bytes)
    rest.skip("-+(")
    rest.skipOne(" ")
    if rest.skip(anyOf: Self.currencies) { rest.skipOne(" ") }
    rest.skipOne("-+")
    var core = rest.bytes
    if core.last == UInt8(ascii: ")") { core = core.dropLast() }
    for sign in Self.currencies + [[UInt8(ascii: "%")]] where core.ends(with: sign) {
      core = core.dropLast(sign.count)
      break
    }
    if core.last == 0x20 { core = core.dropLast() }
    return core.count < bytes.count && !core.isEmpty && SeenText(core).isNumber
  }

  private var isDate: Bool {
    bytes.count <= 40
      && DatePattern.allCases.contains { pattern in
        matches { pattern.match(&$0) && $0.timeOfDate() }
      }
  }

  private var isTime: Bool { matches { $0.time() } }

  private var isLink: Bool {
    for scheme in ["http://", "https://", "ftp://"] where bytes.starts(with: scheme.utf8) {
      let rest = bytes.dropFirst(scheme.utf8.count)
      return !rest.isEmpty && !rest.contains(where: Self.isBlank)
    }
    guard let sign = bytes.firstIndex(of: UInt8(ascii: "@")), sign > bytes.startIndex else {
      return false
    }
    let host = bytes[(sign + 1)...]
    guard let point = host.firstIndex(of: 0x2E), point > host.startIndex, point + 1 < host.endIndex
    else { return false }
    return bytes[..<sign].allSatisfy { Self.isWord($0) || ".+-".utf8.contains($0) }
      && host[..<point].allSatisfy { Self.isWord($0) || $0 == 0x2D }
      && host[(point + 1)...].allSatisfy { Self.isWord($0) || $0 == 0x2E }
  }

  private func matches(_ pattern: (inout TextPattern) -> Bool) -> Bool {
    var rest = TextPattern(bytes)
    return pattern(&rest) && rest.bytes.isEmpty
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with end: [UInt8]) -> Bool {
    count >= end.count && suffix(end.count).elementsEqual(end)
  }
}
