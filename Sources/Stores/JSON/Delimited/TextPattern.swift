/// What is left of a text while its beginning is compared with patterns.
struct TextPattern {
  private(set) var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Takes all bytes of a set.
  @discardableResult mutating func skip(_ set: String) -> Int {
    let count = bytes.prefix { set.utf8.contains($0) }.count
    bytes = bytes.dropFirst(count)
    return count
  }

  /// Takes one byte of a set, if there is one.
  @discardableResult mutating func skipOne(_ set: String) -> Bool {
    guard let first = bytes.first, set.utf8.contains(first) else { return false }
    bytes = bytes.dropFirst()
    return true
  }

  /// Takes one of the texts, if there is one.
  mutating func skip(anyOf texts: [[UInt8]]) -> Bool {
    guard let text = texts.first(where: { bytes.starts(with: $0) }) else { return false }
    bytes = bytes.dropFirst(text.count)
    return true
  }

  /// Takes all digits; true if their number is allowed.
  mutating func digits(_ counts: ClosedRange<Int> = 1...Int.max) -> Bool {
    counts.contains(skip("0123456789"))
  }

  /// Takes as many letters as allowed; true if there are enough.
  private mutating func letters(_ counts: ClosedRange<Int>, _ isOne: (UInt8) -> Bool) -> Bool {
    let count = bytes.prefix(counts.upperBound).prefix(while: isOne).count
    bytes = bytes.dropFirst(count)
    return counts.contains(count)
  }
}

// MARK: Numbers

extension TextPattern {
  /// A number with a point: `5`, `-.5`, `1.`, `+5e3`.
  mutating func number() -> Bool {
    skipOne("+-")
    let whole = skip("0123456789")
    var fraction = 0
    if skipOne(".") { fraction = skip("0123456789") }
    guard whole + fraction > 0 else { return false }
    guard skipOne("eE") else { return true }
    skipOne("+-")
    return digits()
  }

  /// A number with a decimal comma: `12,50`, `1.234,56`.
  mutating func numberWithComma() -> Bool {
    skipOne("+-")
    let first = skip("0123456789")
    if (1...3).contains(first), bytes.first == UInt8(ascii: ".") {
      while skipOne(".") { guard digits(3...3) else { return false } }
    }
    return skipOne(",") && digits()
  }

  /// A number with a sign between its thousands: `1,234.50`, `1 234`.
  mutating func groupedNumber(_ sign: [UInt8]) -> Bool {
    skipOne("+-")
    guard digits(1...3) else { return false }
    var groups = 0
    while true {
      let before = bytes
      guard skip(anyOf: [sign]) else { break }
      guard bytes.prefix(while: { (0x30...0x39).contains($0) }).count == 3 else {
        bytes = before
        break
      }
      bytes = bytes.dropFirst(3)
      groups += 1
    }
    guard groups > 0 else { return false }
    return skipOne(".,") ? digits() : true
  }
}

// MARK: Dates and times

/// The forms of dates that people write.
enum DatePattern: CaseIterable {
  /// `2024-01-31`, `2024/1/31`
  case yearFirst
  /// `31.01.2024`, `1/31/24`
  case yearLast
  /// `31-Jan-24`
  case monthName
  /// `January 31, 2024`
  case monthFirst
  /// `2024-01`
  case month
  /// `2024-Q1`, `2024W05`
  case quarter

  /// Takes a date.
  func match(_ text: inout TextPattern) -> Bool {
    switch self {
    case .yearFirst:
      text.digits(4...4) && text.skipOne("-/.") && text.digits(1...2) && text.skipOne("-/.")
        && text.digits(1...2)
    case .yearLast:
      text.digits(1...2) && text.skipOne("-/.") && text.digits(1...2) && text.skipOne("-/.")
        && text.year()
    case .monthName:
      text.digits(1...2) && text.skipOne("- ") && text.monthName(3...3) && text.skipOne("- ")
        && text.digits(2...4)
    case .monthFirst:
      text.monthWord() && text.skipOne(" ") && text.digits(1...2) && text.comma()
        && text.skipOne(" ") && text.digits(4...4)
    case .month: text.digits(4...4) && text.skipOne("-/") && text.digits(2...2)
    case .quarter:
      text.digits(4...4) && text.comma("-") && text.skipOne("QW") && text.digits(1...2)
    }
  }
}

extension TextPattern {
  /// Takes a sign, if there is one.
  fileprivate mutating func comma(_ sign: String = ",") -> Bool {
    skipOne(sign)
    return true
  }

  /// Two or four digits.
  fileprivate mutating func year() -> Bool {
    let count = skip("0123456789")
    return count == 2 || count == 4
  }

  fileprivate mutating func monthName(_ counts: ClosedRange<Int>) -> Bool {
    letters(counts) { (0x61...0x7A).contains($0 | 0x20) }
  }

  fileprivate mutating func monthWord() -> Bool {
    letters(1...1) { (0x41...0x5A).contains($0) } && letters(2...8) { (0x61...0x7A).contains($0) }
  }

  /// A time after a date, with a zone, if there is one.
  mutating func timeOfDate() -> Bool {
    if skip("T ") > 0 {
      guard clock() else { return false }
      if !zone() { return false }
    }
    skipOne(".")
    return true
  }

  /// Takes a time of day, such as 10:30 or 9:05:07.5 PM.
  mutating func time() -> Bool {
    guard clock() else { return false }
    let before = bytes
    skipOne(" ")
    if skipOne("aApP") { return skipOne("mM") }
    bytes = before
    return true
  }

  private mutating func clock() -> Bool {
    guard digits(1...2), skipOne(":"), digits(2...2) else { return false }
    guard skipOne(":") else { return true }
    guard digits(2...2) else { return false }
    let before = bytes
    if skipOne(".,"), !digits() { bytes = before }
    return true
  }

  private mutating func zone() -> Bool {
    var before = bytes
    skipOne(" ")
    if skipOne("AP") {
      guard skipOne("M") else { return false }
    } else {
      bytes = before
    }
    if skipOne("Z") { return true }
    before = bytes
    skipOne(" ")
    guard skipOne("+-") else {
      bytes = before
      return true
    }
    let first = skip("0123456789")
    return first == 4 || first == 2 && skipOne(":") && digits(2...2)
  }
}
