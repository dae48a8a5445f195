import Foundation
import OpenSwiftData

/// Functions of numbers: exact for integers and decimals.
extension ExpressionCall {
  func number() throws(SyntaxProblem) -> CompiledPart {
    switch function {
    case .round: return try round()
    case .floor: return try rounded(.down) { $0.rounded(.down) }
    case .ceil: return try rounded(.up) { $0.rounded(.up) }
    case .abs: return try absolute()
    case .sign: return try sign()
    case .min: return try extreme(.orderedAscending)
    case .max: return try extreme(.orderedDescending)
    case .sqrt: return try squareRoot()
    case .log: return try logarithm()
    default: return try power()
    }
  }

  private static let overflow = ExpressionFailure(
    "exceeds 64-bit integers; write decimal(…) around it"
  )

  /// The type of a function whose result is of the type of its first value.
  private var ownType: ExpressionType { values[0].type == .null ? .null : values[0].type }

  private func round() throws(SyntaxProblem) -> CompiledPart {
    let number = try number(0)
    let places = values.count > 1 ? try whole(1) : always(0)
    let isEven = try option(2, among: ["even"]) != nil
    let rule: ExactDecimal.Rounding = isEven ? .halfEven : .halfAway
    return result(ownType) { row throws(ExpressionFailure) in
      let (number, places) = (try number(row), try places(row))
      guard let number, let places else { return .null }
      guard (-38...38).contains(places) else {
        throw ExpressionFailure("\(places) digits: use -38 to 38")
      }
      return .value(try number.rounded(places, rule))
    }
  }

  /// Rounds to whole numbers in one direction.
  private func rounded(
    _ rule: ExactDecimal.Rounding,
    _ binary: @escaping @Sendable (Double) -> Double
  ) throws(SyntaxProblem) -> CompiledPart {
    let number = try number(0)
    return result(ownType) { row throws(ExpressionFailure) in
      switch try number(row) {
      case nil: return .null
      case .number(let number)?: return .value(.number(binary(number)))
      case let number?: return .value(try number.rounded(0, rule))
      }
    }
  }

  private func absolute() throws(SyntaxProblem) -> CompiledPart {
    let number = try number(0)
    return result(ownType) { row throws(ExpressionFailure) in
      switch try number(row) {
      case .integer(let whole)?:
        guard whole != .min else { throw Self.overflow }
        return .value(.integer(Swift.abs(whole)))
      case .number(let number)?: return .value(.number(number.magnitude))
      case let number?:
        guard let exact = number.exact else { return .value(number) }
        return .value(Value(exact.isNegative ? -exact : exact))
      case nil: return .null
      }
    }
  }

  private func sign() throws(SyntaxProblem) -> CompiledPart {
    let number = try number(0)
    return result(.integer) { row throws(ExpressionFailure) in
      guard let number = try number(row) else { return .null }
      if number.isNaN { throw ExpressionFailure("NaN has no sign") }
      switch number.compare(.integer(0)) {
      case .orderedAscending: return .value(.integer(-1))
      case .orderedSame: return .value(.integer(0))
      case .orderedDescending: return .value(.integer(1))
      }
    }
  }

  private func extreme(_ wanted: ComparisonResult) throws(SyntaxProblem) -> CompiledPart {
    var type = ExpressionType.null
    for (place, value) in values.enumerated() {
      guard let unified = type.unified(with: value.type) else {
        throw error(
          "\(name) needs values of one type, found \(type.rawValue) and \(value.type.rawValue)",
          place
        )
      }
      type = unified
    }
    return strict(type) { [type] values throws(ExpressionFailure) in
      var best = values[0]
      for value in values.dropFirst() {
        guard case .value(let one) = value, case .value(let other) = best else {
          let order = ComputedOrder(
            wanted == .orderedAscending ? .less : .greater,
            [],
            areFields: false
          )
          if try order(value, best) { best = value }
          continue
        }
        if one.compare(other) == wanted { best = value }
      }
      return best.converted(to: type)
    }
  }

  private func squareRoot() throws(SyntaxProblem) -> CompiledPart {
    let number = try number(0)
    return result(.number) { row throws(ExpressionFailure) in
      guard let value = try number(row), let number = value.asDouble else { return .null }
      if number < 0 { throw ExpressionFailure("\(value.text) has no square root") }
      return .value(.number(number.squareRoot()))
    }
  }

  private func logarithm() throws(SyntaxProblem) -> CompiledPart {
    let (number, base) = (try number(0), try number(1))
    return result(.number) { row throws(ExpressionFailure) in
      let (value, baseValue) = (try number(row), try base(row))
      guard let value, let baseValue, let number = value.asDouble, let base = baseValue.asDouble
      else { return .null }
      if number <= 0 { throw ExpressionFailure("\(value.text) has no logarithm") }
      if base <= 0 || base == 1 {
        throw ExpressionFailure("\(baseValue.text) is no base of logarithms")
      }
      switch base {
      case 2: return .value(.number(log2(number)))
      case 10: return .value(.number(log10(number)))
      default: return .value(.number(Foundation.log(number) / Foundation.log(base)))
      }
    }
  }

  // MARK: Powers

  private func power() throws(SyntaxProblem) -> CompiledPart {
    let (number, exponent) = (try number(0), try number(1))
    var isExact = false
    if case .literal(.number(.integer(let power), _)) = values[1].node.kind {
      isExact = power >= 0 && values[0].type != .number && values[0].type != .json
    }
    let type = isExact ? ownType : .number
    return result(type) { row throws(ExpressionFailure) in
      let (number, exponent) = (try number(row), try exponent(row))
      guard let number, let exponent else { return .null }
      return Computed.value(try Self.power(number, exponent)).converted(to: type)
    }
  }

  private static func power(_ base: Value, _ exponent: Value) throws(ExpressionFailure) -> Value {
    if let whole = exponent.exact?.whole, (0...1000).contains(whole), let exact = base.exact {
      switch base {
      case .integer:
        guard let result = Self.power(exact, whole)?.whole else {
          throw ExpressionFailure(
            "exceeds 64-bit integers; write decimal(…) around the first value"
          )
        }
        return .integer(result)
      case .decimal:
        guard let result = Self.power(exact, whole) else {
          throw ExpressionFailure("\(ExactDecimal.Problem.tooManyDigits)")
        }
        return Value(result)
      default: break
      }
    }
    guard let number = base.asDouble, let power = exponent.asDouble else { return .null }
    if number == 0, power < 0 { throw ExpressionFailure("division by zero") }
    if number < 0, power != power.rounded() {
      throw ExpressionFailure("a negative number has no such power")
    }
    let result = Foundation.pow(number, power)
    if result.isInfinite, number.isFinite, power.isFinite {
      throw ExpressionFailure("is too large for a number")
    }
    return .number(result)
  }

  private static func power(_ base: ExactDecimal, _ exponent: Int64) -> ExactDecimal? {
    var result = ExactDecimal(whole: 1)
    for _ in 0..<exponent {
      guard let product = try? result * base else { return nil }
      result = product
    }
    return result
  }
}

extension Value {
  /// The number with so many digits after the point, of the same type.
  fileprivate func rounded(_ places: Int, _ rule: ExactDecimal.Rounding) throws(ExpressionFailure)
    -> Value
  {
    if case .integer = self, places >= 0 { return self }
    if case .number(let number) = self, !number.isFinite || number == 0 { return self }
    // A binary number without an exact decimal is too large to have a fraction, or too small to have digits.
    guard let exact else { return self }
    let result: ExactDecimal
    do { result = try exact.rounded(places, rule) } catch { throw ExpressionFailure("\(error)") }
    switch self {
    case .integer:
      guard let whole = result.whole else {
        throw ExpressionFailure("exceeds 64-bit integers; write decimal(…) around it")
      }
      return .integer(whole)
    case .number: return .number(Value(result).asDouble ?? .nan)
    default: return Value(result)
    }
  }
}
