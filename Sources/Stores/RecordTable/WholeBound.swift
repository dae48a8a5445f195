import Foundation
import OpenSwiftData

/// A number as a bound for comparisons with whole numbers.
struct WholeBound {
  private enum Place {
    /// Greater than all 64-bit integers.
    case aboveAll
    /// Less than all 64-bit integers.
    case belowAll
    /// The greatest whole number that is not greater than the bound, and whether it equals the
    /// bound.
    case at(Int64, isExact: Bool)
  }

  /// A comparison with the bound, expressed for whole numbers.
  enum Applied {
    /// The same result for every whole number.
    case constant(Bool)
    /// A comparison with a whole number.
    case whole(Filter.Comparison, Int64)
  }

  private let place: Place

  /// The number times a power of ten; nil if that is not exact.
  init?(_ value: Value, timesTenTo power: Int) {
    if case .integer(let whole) = value, power == 0 {
      place = .at(whole, isExact: true)
    } else if case .number(let number) = value, power == 0 {
      guard number.isFinite else { return nil }
      place = Self.place(of: number)
    } else {
      guard let place = value.asDecimal.flatMap({ Self.place(of: $0, power) }) else { return nil }
      self.place = place
    }
  }

  /// The comparison of whole numbers with the bound in its simplest form.
  func applied(_ comparison: Filter.Comparison) -> Applied {
    switch (place, comparison) {
    case (.at(let whole, true), _): .whole(comparison, whole)
    case (_, .equal): .constant(false)
    case (_, .notEqual): .constant(true)
    case (.at(let whole, _), .less), (.at(let whole, _), .lessOrEqual):
      .whole(.lessOrEqual, whole)
    case (.at(let whole, _), _): .whole(.greater, whole)
    case (.aboveAll, .less), (.aboveAll, .lessOrEqual): .constant(true)
    case (.belowAll, .greater), (.belowAll, .greaterOrEqual): .constant(true)
    default: .constant(false)
    }
  }

  private static func place(of number: Double) -> Place {
    if number >= 9_223_372_036_854_775_808 { return .aboveAll }
    if number < -9_223_372_036_854_775_808 { return .belowAll }
    let floor = number.rounded(.down)
    return .at(Int64(floor), isExact: floor == number)
  }

  private static func place(of decimal: Decimal, _ power: Int) -> Place? {
    guard decimal.isFinite else { return nil }
    var (value, scaled, floor) = (decimal, Decimal(), Decimal())
    guard NSDecimalMultiplyByPowerOf10(&scaled, &value, Int16(power), .plain) == .noError else {
      return nil
    }
    NSDecimalRound(&floor, &scaled, 0, .down)
    if floor > Decimal(Int64.max) { return .aboveAll }
    if floor < Decimal(Int64.min) { return .belowAll }
    return Int64(floor.description).map { .at($0, isExact: floor == scaled) }
  }
}
