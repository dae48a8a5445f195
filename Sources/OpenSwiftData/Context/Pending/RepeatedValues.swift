/// The values of records one after the other, kept once as long as they are all the same, to the sign of a zero.
struct RepeatedValues: Sendable {
  private(set) var count = 0
  private var first = Value.null
  /// The values; empty as long as they are all the same.
  private var each: [Value] = []

  init() {}

  init(_ value: Value) { (first, count) = (value, 1) }

  /// The value of all records; nil if they differ.
  var common: Value? { each.isEmpty ? first : nil }

  subscript(place: Int) -> Value { each.isEmpty ? first : each[place] }

  /// Appends the value of another record.
  ///
  /// - Complexity: O(1) on average.
  mutating func append(_ value: Value) {
    if count == 0 {
      first = value
    } else if !each.isEmpty {
      each.append(value)
    } else if !first.isSame(as: value) {
      each = Array(repeating: first, count: count)
      each.append(value)
    }
    count += 1
  }

  mutating func reverse() { each.reverse() }
}

extension Value {
  /// True if the values are equal, to the sign of a zero.
  fileprivate func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)): left.bitPattern == right.bitPattern
    default: self == other
    }
  }
}
