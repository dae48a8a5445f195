import Foundation

extension PredicateAttribute {
  /// The condition that the text equals this one, in any Unicode encoding of its characters.
  func equals(text: String) -> PredicateCondition {
    PredicateCondition(
      TextMatch.hasOneSpelling(text)
        ? .compare(name, .equal, .text(text))
        : .text(name, TextMatch(.equals, text, options: .characters))
    )
  }

  /// The condition that the comparison of the text with the constant is true.
  ///
  /// Swift orders texts by the scalars of their composed form, stores by bytes. A text that comes after an
  /// ASCII text by its bytes also does in composed form, unless it contains a character that composes to
  /// ASCII, such as the kelvin sign. Whether other texts match is decided in memory.
  func compares(_ comparison: Filter.Comparison, text: String) -> PredicateCondition {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return unknown }
    let hasTwins = ["\u{37E}", "\u{1FEF}", "\u{212A}"].map {
      Filter.text(name, TextMatch(.contains, $0))
    }
    switch comparison {
    case .greater, .greaterOrEqual:
      let after = Filter.compare(name, comparison, .text(text))
      let certain = Filter.conjunction([after] + hasTwins.map(\.negated))
      return PredicateCondition(possible: isPresent, certain: certain)
    case .less: return compares(.greaterOrEqual, text: text).negated.and(.init(isPresent))
    case .lessOrEqual: return compares(.greater, text: text).negated.and(.init(isPresent))
    case .equal, .notEqual: return unknown
    }
  }

  /// The condition that the text contains the pattern, or begins with it.
  func matches(_ operation: TextMatch.Operation, _ pattern: String) -> PredicateCondition {
    guard valueType == String.self, type == .text else { return unknown }
    if pattern.isEmpty { return PredicateCondition(isPresent) }
    return PredicateCondition(.text(name, TextMatch(operation, pattern, options: .characters)))
  }

  /// The condition that there are no elements; unknown if no store can evaluate it.
  var isEmpty: PredicateCondition {
    switch type {
    case .text where valueType == String.self:
      PredicateCondition(.compare(name, .equal, .text("")))
    case .links:
      PredicateCondition(.disjunction([.isNull(name), .compare(name, .equal, .links([]))]))
    default: unknown
    }
  }

  /// The condition that the comparison of the number of elements with the constant is true.
  func count(_ comparison: Filter.Comparison, _ constant: Any) -> PredicateCondition {
    guard let limit = constant as? Int else { return unknown }
    func holds(_ count: Int64) -> Bool {
      comparison.holds(.integer(count), .integer(Int64(limit)))
    }
    // Beyond zero, only comparisons with the same result for every number are known.
    let others: PredicateCondition =
      holds(1) == holds(.max) && (limit <= 1 || comparison != .equal && comparison != .notEqual)
      ? (holds(1) ? .always : .never) : .unknown
    let isEmpty = isEmpty
    return .any(of: [
      isEmpty.and(holds(0) ? .always : .never), isEmpty.negated.and(others),
    ])
  }
}
