import Foundation

/// A decimal number whose arithmetic is exact: a whole number of up to 38 digits, times a power of ten.
///
/// Foundation's `Decimal`, which values keep, rounds silently. The two forms convert without loss; like `CompactDecimal`,
/// the conversion reads and writes the 20 bytes of a `Decimal` directly.
struct ExactDecimal: Equatable {
  /// Why a result cannot be kept.
  enum Problem: Error {
    case tooManyDigits
    case outOfRange
    case divisionByZero
  }

  /// The digits, with no zero at the end unless this is zero.
  let mantissa: Int128
  /// The power of ten of the last digit; 0 for zero.
  let exponent: Int

  /// The number of digits after the point to which a quotient is rounded.
  static let quotientPlaces = 20
  private static let limit = power(38)
  private static let exponents = -127...127

  private static let powers: [UInt128] = (0...38).map { count in
    (0..<count).reduce(UInt128(1)) { power, _ in power * 10 }
  }

  /// Ten to the power of 0 to 38.
  private static func power(_ exponent: Int) -> UInt128 { powers[exponent] }

  init(whole: Int64) {
    var (mantissa, exponent) = (Int128(whole), 0)
    while mantissa != 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    (self.mantissa, self.exponent) = (mantissa, exponent)
  }

  init(mantissa: Int128, exponent: Int) {
    (self.mantissa, self.exponent) = (mantissa, exponent)
  }

  /// Creates a number from its parts, without the zeros at the end of the digits.
  ///
  /// - Throws: `Problem` if it has too many digits or is too large or too small.
  init(_ magnitude: UInt128, isNegative: Bool, exponent: Int) throws(Problem) {
    guard magnitude != 0 else {
      self.init(mantissa: 0, exponent: 0)
      return
    }
    var (digits, power) = (magnitude, exponent)
    while digits % 10 == 0 {
      digits /= 10
      power += 1
    }
    guard digits < Self.limit else { throw .tooManyDigits }
    guard Self.exponents.contains(power) else { throw .outOfRange }
    self.init(mantissa: isNegative ? -Int128(digits) : Int128(digits), exponent: power)
  }

  // MARK: Conversion

  private static let compactFlag: UInt8 = 0x04
  private static let negativeFlag: UInt8 = 0x08

  /// The same number; nil if it is not a number or has more than 38 digits.
  init?(_ decimal: Decimal) {
    let (exponent, flags, digits) = withUnsafeBytes(of: decimal) { bytes in
      (
        Int(Int8(bitPattern: bytes[0])), bytes[1],
        UInt128(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt128.self))
      )
    }
    let length = Int(flags >> 4)
    guard length > 0 else {
      guard flags & Self.negativeFlag == 0 else { return nil }
      self.init(mantissa: 0, exponent: 0)
      return
    }
    let own = length < 8 ? digits & (1 << UInt128(16 * length) - 1) : digits
    guard
      let number = try? ExactDecimal(
        own,
        isNegative: flags & Self.negativeFlag != 0,
        exponent: exponent
      )
    else { return nil }
    self = number
  }

  /// The same number.
  var decimal: Decimal {
    guard mantissa != 0 else { return Decimal() }
    var result = Decimal()
    let magnitude = mantissa.magnitude
    let length = UInt8((143 - magnitude.leadingZeroBitCount) / 16)
    withUnsafeMutableBytes(of: &result) { bytes in
      bytes[0] = UInt8(bitPattern: Int8(exponent))
      bytes[1] = length << 4 | Self.compactFlag | (mantissa < 0 ? Self.negativeFlag : 0)
      bytes.storeBytes(of: magnitude.littleEndian, toByteOffset: 4, as: UInt128.self)
    }
    return result
  }

  /// The whole number; nil if it has a fraction or more than 64 bits.
  var whole: Int64? {
    guard exponent >= 0, exponent <= 19 else { return mantissa == 0 ? 0 : nil }
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: Int128(Self.power(exponent)))
    return overflow ? nil : Int64(exactly: product)
  }

  var isNegative: Bool { mantissa < 0 }

  // MARK: Arithmetic

  static prefix func - (number: ExactDecimal) -> ExactDecimal {
    ExactDecimal(mantissa: -number.mantissa, exponent: number.exponent)
  }

  /// The exact sum.
  static func + (left: ExactDecimal, right: ExactDecimal) throws(Problem) -> ExactDecimal {
    if left.mantissa == 0 { return right }
    if right.mantissa == 0 { return left }
    let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
    // The last digit of the lower number is not zero, so a sum with more digits cannot lose any at its end.
    guard let scaled = high.magnitude(at: low.exponent) else { throw .tooManyDigits }
    let value = high.isNegative ? -scaled : scaled
    let (sum, overflow) = value.addingReportingOverflow(low.mantissa)
    if overflow { throw .tooManyDigits }
    return try ExactDecimal(sum.magnitude, isNegative: sum < 0, exponent: low.exponent)
  }

  /// The exact difference.
  static func - (left: ExactDecimal, right: ExactDecimal) throws(Problem) -> ExactDecimal {
    try left + -right
  }

  /// The exact product.
  static func * (left: ExactDecimal, right: ExactDecimal) throws(Problem) -> ExactDecimal {
    let isNegative = left.isNegative != right.isNegative
    var (high, low) = left.mantissa.magnitude.multipliedFullWidth(by: right.mantissa.magnitude)
    var exponent = left.exponent + right.exponent
    while high != 0 {
      let (quotient, rest) = high.quotientAndRemainder(dividingBy: 10)
      let (lower, last) = UInt128(10).dividingFullWidth((rest, low))
      guard last == 0 else { throw .tooManyDigits }
      (high, low) = (quotient, lower)
      exponent += 1
    }
    return try ExactDecimal(low, isNegative: isNegative, exponent: exponent)
  }

  /// The quotient, rounded half to even at 20 digits after the point, or at fewer if 38 digits would not hold it.
  static func / (left: ExactDecimal, right: ExactDecimal) throws(Problem) -> ExactDecimal {
    let divisor = right.mantissa.magnitude
    if divisor == 0 { throw .divisionByZero }
    var (quotient, rest) = left.mantissa.magnitude.quotientAndRemainder(dividingBy: divisor)
    var exponent = left.exponent - right.exponent
    while rest != 0, exponent > -quotientPlaces, quotient < power(37) {
      let (digit, next) = divisor.dividingFullWidth(rest.multipliedFullWidth(by: 10))
      (quotient, rest) = (quotient * 10 + digit, next)
      exponent -= 1
    }
    if rest != 0, exponent > 0 { throw .tooManyDigits }
    var half = rest * 2 == divisor ? 0 : rest * 2 > divisor ? 1 : -1
    let surplus = -quotientPlaces - exponent
    if surplus > 0 {
      guard surplus <= 38 else { return ExactDecimal(whole: 0) }
      let (kept, dropped) = quotient.quotientAndRemainder(dividingBy: power(surplus))
      half = Self.half(dropped, of: power(surplus), hasRest: rest != 0)
      (quotient, exponent) = (kept, -quotientPlaces)
    } else if rest == 0 {
      half = -1
    }
    if half > 0 || (half == 0 && quotient % 2 == 1) { quotient += 1 }
    return try ExactDecimal(
      quotient,
      isNegative: left.isNegative != right.isNegative,
      exponent: exponent
    )
  }

  /// Negative, zero or positive as a rest is less than half of a unit, half of it, or more.
  private static func half(_ rest: UInt128, of unit: UInt128, hasRest: Bool) -> Int {
    let middle = unit / 2
    if rest == middle { return hasRest ? 1 : 0 }
    return rest < middle ? -1 : 1
  }

  /// The quotient rounded down, and the rest, which has the sign of the right side.
  ///
  /// The quotient is nil if it has too many digits.
  func dividedDown(by right: ExactDecimal) throws(Problem) -> (
    quotient: ExactDecimal?, rest: ExactDecimal
  ) {
    if right.mantissa == 0 { throw .divisionByZero }
    let exponent = min(self.exponent, right.exponent)
    guard let divisor = right.magnitude(at: exponent)?.magnitude else {
      // The right side is larger.
      if mantissa == 0 || isNegative == right.isNegative { return (ExactDecimal(whole: 0), self) }
      return (ExactDecimal(whole: -1), try self + right)
    }
    var (quotient, rest) = mantissa.magnitude.quotientAndRemainder(dividingBy: divisor)
    var isTooLong = false
    for _ in exponent..<self.exponent {
      let (digit, next) = divisor.dividingFullWidth(rest.multipliedFullWidth(by: 10))
      isTooLong = isTooLong || quotient >= Self.power(37)
      (quotient, rest) = (isTooLong ? 0 : quotient * 10 + digit, next)
    }
    if isNegative != right.isNegative, rest != 0 {
      (quotient, rest) = (quotient + 1, divisor - rest)
    }
    let isOpposite = isNegative != right.isNegative
    return (
      isTooLong ? nil : try? ExactDecimal(quotient, isNegative: isOpposite, exponent: 0),
      try ExactDecimal(rest, isNegative: right.isNegative, exponent: exponent)
    )
  }

  /// The digits for a smaller power of ten; nil if they have too many bits.
  private func magnitude(at smaller: Int) -> Int128? {
    let difference = exponent - smaller
    guard difference > 0 else { return Int128(mantissa.magnitude) }
    guard difference <= 38 else { return mantissa == 0 ? 0 : nil }
    let (product, overflow) = mantissa.magnitude.multipliedReportingOverflow(
      by: Self.power(difference)
    )
    return overflow ? nil : Int128(exactly: product)
  }

  // MARK: Rounding

  /// How numbers between two are rounded.
  enum Rounding {
    /// To the nearest one; in the middle away from zero.
    case halfAway
    /// To the nearest one; in the middle to the even one.
    case halfEven
    /// To the smaller one.
    case down
    /// To the larger one.
    case up
  }

  /// The number with so many digits after the point; with a negative number, rounded before the point.
  func rounded(_ places: Int, _ rule: Rounding = .halfAway) throws(Problem) -> ExactDecimal {
    let surplus = -places - exponent
    guard surplus > 0, mantissa != 0 else { return self }
    let isAll = surplus > 38
    let unit = isAll ? Self.limit : Self.power(surplus)
    let (kept, dropped) =
      isAll
      ? (0, mantissa.magnitude) : mantissa.magnitude.quotientAndRemainder(dividingBy: unit)
    let half = surplus > 38 ? -1 : Self.half(dropped, of: unit, hasRest: false)
    let increases =
      switch rule {
      case .halfAway: half >= 0
      case .halfEven: half > 0 || (half == 0 && kept % 2 == 1)
      case .down: isNegative && dropped != 0
      case .up: !isNegative && dropped != 0
      }
    return try ExactDecimal(kept + (increases ? 1 : 0), isNegative: isNegative, exponent: -places)
  }
}

extension ExactDecimal.Problem: CustomStringConvertible {
  /// What is wrong with the result.
  var description: String {
    switch self {
    case .tooManyDigits: "has more than the 38 digits a decimal can hold"
    case .outOfRange: "is out of range for a decimal"
    case .divisionByZero: "division by zero"
    }
  }
}
