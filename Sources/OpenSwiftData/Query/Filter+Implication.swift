import Foundation

extension Filter {
  /// True if it is certain that every record that this filter matches is matched by another one as well.
  ///
  /// So the result of the other filter, if it is known, can be searched instead of all records: while a filter is typed,
  /// each letter usually narrows it. False means that this is not known. It is known for:
  ///
  /// - a text test whose pattern, with the same differences ignored, contains that of the other one: `contains "toys"`
  ///   implies `contains "toy"`. The patterns are compared as texts are, folded and by bytes, so `contains[c] "é"`,
  ///   typed as `e` and an accent, does not imply `contains[c] "e"`, but `contains[c] "aß"` implies `contains[c] "as"`;
  /// - a comparison of a whole number or a date with a bound that is tighter;
  /// - conjunctions with a part that implies the other filter, disjunctions of parts that all do, and their opposites;
  ///   negations, where the direction is reversed.
  ///
  /// - Complexity: O(1); parts of large filters are not compared.
  package func implies(_ other: Filter) -> Bool {
    var budget = 1000
    return implies(other, &budget)
  }

  private func implies(_ other: Filter, _ budget: inout Int) -> Bool {
    budget -= 1
    guard budget > 0 else { return false }
    switch (self, other) {
    case (.constant(false), _), (_, .constant(true)): return true
    case (_, .and(let parts)): return parts.allSatisfy { implies($0, &budget) }
    case (.or(let parts), _): return parts.allSatisfy { $0.implies(other, &budget) }
    case (.and(let parts), .or(let others)):
      return parts.contains { $0.implies(other, &budget) }
        || others.contains { implies($0, &budget) }
    case (.and(let parts), _): return parts.contains { $0.implies(other, &budget) }
    case (_, .or(let others)): return others.contains { implies($0, &budget) }
    case (.not(let part), .not(let otherPart)): return otherPart.implies(part, &budget)
    case (.text(let name, let match), .text(let otherName, let otherMatch)):
      return name == otherName && match.implies(otherMatch)
    case (.anyText(let match), .anyText(let otherMatch)): return match.implies(otherMatch)
    case (
      .compare(let name, let comparison, let value), .compare(let otherName, let looser, let bound)
    ):
      guard name == otherName else { return false }
      return self == other || Self.implies(comparison, value, looser, bound)
    default: return self == other
    }
  }

  /// True if a comparison with one bound holds only where that with the other bound does.
  private static func implies(
    _ comparison: Comparison,
    _ value: Value,
    _ looser: Comparison,
    _ bound: Value
  ) -> Bool {
    switch (value, bound) {
    case (.integer, .integer), (.date, .date): break
    default: return false
    }
    let order = value.compare(bound)
    switch (comparison, looser) {
    case (.greater, .greater), (.greaterOrEqual, .greaterOrEqual), (.greater, .greaterOrEqual):
      return order != .orderedAscending
    case (.less, .less), (.lessOrEqual, .lessOrEqual), (.less, .lessOrEqual):
      return order != .orderedDescending
    default: return false
    }
  }
}

extension TextMatch {
  /// True if every text that matches matches the other test as well; false if that is not known.
  fileprivate func implies(_ other: TextMatch) -> Bool {
    if self == other { return true }
    // Whole characters depend on their neighbors, so a part of a pattern may match where the whole does not.
    guard options == other.options, !options.contains(.characters) else { return false }
    let pattern = Array(TextFolding.fold(pattern, options).utf8)
    let part = Array(TextFolding.fold(other.pattern, options).utf8)
    switch (operation, other.operation) {
    case (.equals, .contains), (.beginsWith, .contains), (.endsWith, .contains),
      (.contains, .contains):
      return pattern.contains(part)
    case (.equals, .beginsWith), (.beginsWith, .beginsWith): return pattern.starts(with: part)
    case (.equals, .endsWith), (.endsWith, .endsWith):
      return pattern.reversed().starts(with: part.reversed())
    case (.equals, .equals): return pattern == part
    default: return false
    }
  }
}

extension [UInt8] {
  /// True if the bytes occur one after the other.
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    if part.isEmpty { return true }
    return indices.contains { self[$0...].starts(with: part) }
  }
}
