/// A decimal number as its digits, to be rounded and grouped exactly.
struct DigitText: Hashable, Sendable {
  private(set) var isNegative: Bool
  private var whole: [UInt8]
  private var fraction: [UInt8]

  /// Reads `-12.5`; nil for any other form, such as one with an exponent.
  init?(_ text: String) {
    var bytes = text.utf8[...]
    isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative { bytes = bytes.dropFirst() }
    let parts = bytes.split(
      separator: UInt8(ascii: "."),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let digits = parts.map { $0.map { $0 &- 48 } }
    guard let first = digits.first, !first.isEmpty, digits.allSatisfy({ $0.allSatisfy { $0 < 10 } })
    else { return nil }
    whole = first
    fraction = digits.count > 1 ? digits[1] : []
  }

  /// The number without its sign.
  var magnitude: DigitText {
    var number = self
    number.isNegative = false
    return number
  }

  /// The number with a count of digits after the point; a half is rounded away from zero.
  func rounded(to places: Int) -> DigitText {
    var number = self
    guard fraction.count > places else {
      number.fraction += Array(repeating: 0, count: places - fraction.count)
      return number
    }
    number.fraction = Array(fraction.prefix(places))
    if fraction[places] >= 5 { number.increment() }
    let isZero = number.whole.allSatisfy { $0 == 0 } && number.fraction.allSatisfy { $0 == 0 }
    if isZero { number.isNegative = false }
    return number
  }

  /// Adds one at the last place.
  private mutating func increment() {
    var digits = whole + fraction
    var place = digits.count - 1
    while place >= 0 {
      guard digits[place] == 9 else {
        digits[place] += 1
        break
      }
      digits[place] = 0
      place -= 1
    }
    if place < 0 { digits.insert(1, at: 0) }
    let count = digits.count - fraction.count
    whole = Array(digits[..<count])
    fraction = Array(digits[count...])
  }

  /// The number times a power of ten, without zeros that its whole part does not need.
  func shifted(by places: Int) -> DigitText {
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: max(0, count)) }
    let point = whole.count + places
    let digits = zeros(-point) + whole + fraction + zeros(places - fraction.count)
    var number = self
    number.whole = Array(digits.prefix(max(0, point)).drop { $0 == 0 })
    if number.whole.isEmpty { number.whole = [0] }
    number.fraction = Array(digits.dropFirst(max(0, point)))
    return number
  }

  var text: String { joined(Self.letters(whole)) }

  /// The text without zeros at the end of the fraction.
  var trimmed: String {
    var number = self
    while number.fraction.last == 0 { number.fraction.removeLast() }
    return number.text
  }

  /// The text with digits in groups of three.
  var grouped: String {
    let letters = Self.letters(whole)
    var text = ""
    for (place, letter) in letters.enumerated() {
      if place > 0, (letters.count - place) % 3 == 0 { text += "," }
      text.append(letter)
    }
    return joined(text)
  }

  /// The number of digits before the point.
  var wholeCount: Int { whole.count }

  /// The number as a size in units of 1,024.
  func bytes(decimals: Int) -> String? {
    guard var size = Double(magnitude.text) else { return nil }
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var unit = 0
    while size >= 1024, unit < units.count - 1 {
      size /= 1024
      unit += 1
    }
    // A number below 1024 has few digits, which its text holds exactly enough.
    let number = DigitText("\(size)")?.rounded(to: unit == 0 ? 0 : decimals).text
    return number.map { (isNegative ? "-" : "") + "\($0) \(units[unit])" }
  }

  private func joined(_ whole: String) -> String {
    (isNegative ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + Self.letters(fraction))
  }

  private static func letters(_ digits: [UInt8]) -> String {
    String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
  }
}
