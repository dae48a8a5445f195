/// Seconds as decimal digits, with lossless conversion from and to the float of a `Date`.
struct DecimalSeconds: Equatable {
  /// The seconds rounded down to a whole number.
  private let whole: Int64
  /// The digits after the decimal point, added to `whole`, without trailing zeros.
  private let fraction: [UInt8]

  /// The limit up to which microseconds are further apart than floats, and their count is an exact float.
  private static let exactMicroseconds = 4_294_967_296.0

  /// Creates a value from whole seconds and the digits of a fraction that is added to them.
  init(whole: Int64, fraction: some BidirectionalCollection<UInt8>) {
    self.whole = whole
    let zeros = fraction.reversed().prefix { $0 == 48 }.count
    self.fraction = Array(fraction.dropLast(zeros))
  }

  /// Creates a value with the fewest digits that convert back to the float.
  ///
  /// - Precondition: It is finite, and less than 2^53.
  init(_ seconds: Double) {
    let floor = seconds.rounded(.down)
    if seconds == floor {
      self.init(whole: Int64(floor), fraction: [])
      return
    }
    let microseconds = (seconds * 1e6).rounded()
    if seconds.magnitude < Self.exactMicroseconds, microseconds / 1e6 == seconds {
      let whole = (microseconds / 1e6).rounded(.down)
      let rest = Int(microseconds - whole * 1e6)
      self.init(whole: Int64(whole), fraction: CalendarDate.padded(rest, 6).utf8)
      return
    }
    self.init(digits: seconds.magnitude.description, isNegative: seconds < 0)
  }

  /// Creates a value from the text of a float.
  private init(digits text: String, isNegative: Bool) {
    let parts = text.split(separator: "e")
    let point = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    var magnitude = Int64(point[0]) ?? 0
    var fraction = point.count > 1 ? Array(point[1].utf8) : []
    if parts.count > 1, let exponent = Int(parts[1]) {
      // A number small enough to be written with an exponent has a single digit before the point.
      precondition(exponent < 0, "seconds are fewer than 2^53")
      fraction = Array(repeating: 48, count: -exponent - 1) + Array(point[0].utf8) + fraction
      magnitude = 0
    }
    self.init(
      whole: isNegative ? -magnitude - 1 : magnitude,
      fraction: isNegative ? Self.complement(fraction) : fraction
    )
  }

  /// Whole seconds and the digits of the fraction that is added to them.
  var parts: (whole: Int64, fraction: [UInt8]) { (whole, fraction) }

  /// The nearest float, and whether these digits identify it exactly.
  var nearest: (seconds: Double, isExact: Bool) {
    if fraction.isEmpty { return (Double(whole), true) }
    let count = fraction.count <= 3 ? 3 : 6
    if fraction.count <= count,
      count == 3 || Double(whole).magnitude < Self.exactMicroseconds - 1
    {
      // Count and divisor are exact floats, so the quotient is the nearest one.
      let scale: Int64 = count == 3 ? 1000 : 1_000_000
      return (Double(whole * scale + number(count)) / Double(scale), true)
    }
    let isNegative = whole < 0
    let digits = isNegative ? Self.complement(fraction) : fraction
    let text = "\(isNegative ? -(whole + 1) : whole).\(String(decoding: digits, as: UTF8.self))"
    guard let magnitude = Double(text) else { return (Double(whole), false) }
    let seconds = isNegative ? -magnitude : magnitude
    return (seconds, DecimalSeconds(seconds) == self || isNineDigits(of: seconds))
  }

  /// The fraction as a whole number with the given number of digits.
  private func number(_ count: Int) -> Int64 {
    var result: Int64 = 0
    for place in 0..<count {
      result = result * 10 + (place < fraction.count ? Int64(fraction[place] - 48) : 0)
    }
    return result
  }

  /// True when these are the first nine digits of the float, the form written by earlier versions.
  private func isNineDigits(of seconds: Double) -> Bool {
    let floor = seconds.rounded(.down)
    let digits = ((seconds - floor) * 1e9).rounded()
    return digits < 1e9 && fraction.count <= 9 && Double(whole) == floor
      && number(9) == Int64(digits)
  }

  /// The digits of 1 minus the fraction.
  ///
  /// - Precondition: The fraction is not zero.
  private static func complement(_ fraction: [UInt8]) -> [UInt8] {
    var result = fraction
    while result.last == 48 { result.removeLast() }
    for place in result.indices {
      result[place] = place == result.count - 1 ? 106 - result[place] : 105 - result[place]
    }
    return result
  }
}
