import Foundation

/// A filter bound to the layout of snapshots, ready to test many of them.
package struct BoundFilter {
  private indirect enum Node {
    case constant(Bool)
    case compare(Int, Filter.Comparison, Value)
    case compareAttributes(Int, Filter.Comparison, Int)
    case between(Int, Value, Value)
    case isIn(Int, ValueList)
    case text(Int, TextMatcher)
    case anyText(TextMatcher)
    case isNull(Int)
    case and([Node])
    case or([Node])
    case not(Node)
  }

  private let root: Node

  /// Looks up the attributes in the layout.
  ///
  /// - Throws: `PersistenceError` when an attribute is missing or a pattern is invalid.
  package init(_ filter: Filter, layout: SnapshotLayout) throws {
    root = try Self.bind(filter, layout)
  }

  /// True when the record matches.
  package func matches(_ snapshot: DefaultSnapshot) -> Bool {
    matches(snapshot.orderedValues)
  }

  /// True when a record with these values, in the order of the layout, matches.
  package func matches(_ values: [Value]) -> Bool {
    Self.matches(root, values)
  }

  private static func slot(_ name: String, _ layout: SnapshotLayout) throws -> Int {
    guard let slot = layout.slot(of: name) else {
      throw PersistenceError(
        .unknownAttribute,
        "unknown field \(Value.quoted(name)); "
          + Suggestion.text(for: name, among: layout.names)
      )
    }
    return slot
  }

  private static func bind(_ filter: Filter, _ layout: SnapshotLayout) throws -> Node {
    switch filter {
    case .constant(let value): .constant(value)
    case .compare(let name, let comparison, let value):
      .compare(try slot(name, layout), comparison, value)
    case .compareAttributes(let left, let comparison, let right):
      .compareAttributes(try slot(left, layout), comparison, try slot(right, layout))
    case .between(let name, let low, let high): .between(try slot(name, layout), low, high)
    case .isIn(let name, let values): .isIn(try slot(name, layout), ValueList(values))
    case .text(let name, let match): .text(try slot(name, layout), try TextMatcher(match))
    case .anyText(let match): .anyText(try TextMatcher(match))
    case .isNull(let name): .isNull(try slot(name, layout))
    case .and(let parts): .and(try parts.map { try bind($0, layout) })
    case .or(let parts): .or(try Filter.gatheringEqualities(parts).map { try bind($0, layout) })
    case .not(let part): .not(try bind(part, layout))
    }
  }

  private static func matches(_ node: Node, _ values: [Value]) -> Bool {
    switch node {
    case .constant(let value): value
    case .compare(let slot, let comparison, let value):
      comparison.holds(values[slot], value)
    case .compareAttributes(let left, let comparison, let right):
      // As in Swift, two NaN values are not equal.
      values[left].isNaN && values[right].isNaN
        ? comparison == .notEqual : comparison.holds(values[left], values[right])
    case .between(let slot, let low, let high):
      Filter.Comparison.greaterOrEqual.holds(values[slot], low)
        && Filter.Comparison.lessOrEqual.holds(values[slot], high)
    case .isIn(let slot, let list): list.contains(values[slot])
    case .text(let slot, let matcher):
      if case .text(let text) = values[slot] {
        matcher.matches(text)
      } else {
        !values[slot].isNull && matcher.matches(values[slot].text)
      }
    case .anyText(let matcher):
      values.contains { !$0.isNull && matcher.matches($0.text) }
    case .isNull(let slot): values[slot].isNull
    case .and(let parts): parts.allSatisfy { matches($0, values) }
    case .or(let parts): parts.contains { matches($0, values) }
    case .not(let part): !matches(part, values)
    }
  }
}

/// A list of values with a fast membership test that compares like `=`.
private struct ValueList {
  private var values: Set<Value>
  /// The numbers of every kind by their double; equal numbers have the same double.
  private var numbers: [Double: [Value]] = [:]

  init(_ values: [Value]) {
    self.values = Set(values)
    for value in self.values {
      if let number = value.asDouble { numbers[number, default: []].append(value) }
    }
  }

  /// - Complexity: O(1) expected.
  func contains(_ value: Value) -> Bool {
    if values.contains(value) { return true }
    guard let number = value.asDouble, let alike = numbers[number] else { return false }
    return alike.contains { Filter.Comparison.equal.holds(value, $0) }
  }
}

extension Filter.Comparison {
  /// True when the comparison of the two values is true.
  ///
  /// Null equals only null, is unequal to every value, and is neither less nor greater. The same applies to
  /// NaN. A moment is compared with a day as the day that it is in UTC.
  package func holds(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.date, .datetime(let moment)): return holds(left, .date(CalendarDate(of: moment)))
    case (.datetime(let moment), .date): return holds(.date(CalendarDate(of: moment)), right)
    default: break
    }
    if left.isNull || right.isNull {
      let same = left.isNull && right.isNull
      return self == .notEqual ? !same : self == .equal && same
    }
    guard left.rank == right.rank else { return self == .notEqual }
    if left.isNaN || right.isNaN {
      let same = left.isNaN && right.isNaN
      return self == .notEqual ? !same : self == .equal && same
    }
    return holds(left.compare(right).rawValue, 0)
  }

  /// True if two values of a comparable type have this relation.
  @inlinable
  @inline(__always)
  package func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}
