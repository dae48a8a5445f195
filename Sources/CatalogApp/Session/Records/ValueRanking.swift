import Foundation
import OpenSwiftData

/// The order of values by how often they occur.
enum ValueRanking {
  /// A value in its place among all, with what is compared first.
  private struct Entry {
    let count: Int
    let beginning: UInt64
    let place: Int
  }

  /// The values, the most frequent first; those that occur as often are in their own order.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n log n) in the number of values.
  static func sorted(_ counts: [Value: Int]) throws -> [(value: Value, count: Int)] {
    let values = counts.map { (value: $0.key, count: $0.value) }
    let isText = values.allSatisfy { if case .text = $0.value { true } else { $0.value.isNull } }
    let nullFirst = Value.null.compare(.text("")) == .orderedAscending
    var meter = WorkMeter()
    var entries: [Entry] = []
    entries.reserveCapacity(values.count)
    for (place, (value, count)) in values.enumerated() {
      try meter.count()
      // Eight bytes decide nearly always, without a look at the texts.
      let beginning = isText ? value.beginning ?? (nullFirst ? 0 : .max) : 0
      entries.append(Entry(count: count, beginning: beginning, place: place))
    }
    try entries.sort { left, right in
      try meter.count()
      if left.count != right.count { return left.count > right.count }
      if left.beginning != right.beginning { return left.beginning < right.beginning }
      return values[left.place].value.compare(values[right.place].value) == .orderedAscending
    }
    return entries.map { values[$0.place] }
  }
}

extension Value {
  /// The first bytes of a text as a number in their order; nil for any other value.
  fileprivate var beginning: UInt64? {
    guard case .text(let text) = self else { return nil }
    var number: UInt64 = 0
    var shift: UInt64 = 64
    for byte in text.utf8 {
      shift -= 8
      number |= UInt64(byte) << shift
      if shift == 0 { break }
    }
    return number
  }
}
