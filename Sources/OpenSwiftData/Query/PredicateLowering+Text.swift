import Foundation

/// The characters beyond ASCII that Swift holds to be the same as an ASCII character.
private let twins: [Character: Character] = ["K": "\u{212A}", ";": "\u{37E}", "`": "\u{1FEF}"]

extension PredicateAttribute {
  /// The condition that the text is this one, spelled in any way.
  ///
  /// Stores compare bytes. ASCII text has one spelling but for three letters, which have twins.
  func equals(text: String) -> PredicateCondition {
    let same = Filter.compare(name, .equal, .text(text))
    let twinCount = text.unicodeScalars.count { "K;`".unicodeScalars.contains($0) }
    if text.utf8.allSatisfy({ $0 < 0x80 }), twinCount <= 3 {
      let spellings = Self.spellings(of: text)
      return PredicateCondition(
        spellings.count == 1 ? same : .isIn(name, spellings.map { .text($0) })
      )
    }
    // Without its accents every spelling of a text is the same.
    let alike = TextMatch(.equals, text, options: .diacriticInsensitive)
    return PredicateCondition(possible: .text(name, alike), certain: same)
  }

  private static func spellings(of text: String) -> [String] {
    text.reduce([""]) { spellings, character in
      let choices = [character, twins[character]].compactMap(\.self)
      return choices.flatMap { choice in spellings.map { $0 + String(choice) } }
    }
  }

  /// The condition that the text comes before the constant, or whatever is asked.
  ///
  /// Swift orders by the scalars of the composed text. What comes after an ASCII text byte by byte does
  /// so composed too, unless it has a twin of an ASCII letter; the rest must be looked at.
  func compares(_ comparison: Filter.Comparison, text: String) -> PredicateCondition {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return unknown }
    let hasTwins = twins.values.sorted().map {
      Filter.text(name, TextMatch(.contains, String($0)))
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
  ///
  /// Swift finds whole characters in any spelling: among bytes every match is found, and more.
  func matches(_ operation: TextMatch.Operation, _ pattern: String) -> PredicateCondition {
    guard valueType == String.self, type == .text else { return unknown }
    if pattern.isEmpty { return PredicateCondition(isPresent) }
    let isPlain = pattern.utf8.allSatisfy { $0 < 0x80 } && !pattern.contains { twins[$0] != nil }
    let match = TextMatch(operation, pattern, options: isPlain ? [] : .diacriticInsensitive)
    return PredicateCondition(possible: .text(name, match), certain: .none)
  }

  /// The condition that there are no elements; unknown for what no store can tell.
  var isEmpty: PredicateCondition {
    switch type {
    case .text where valueType == String.self:
      PredicateCondition(.compare(name, .equal, .text("")))
    case .links:
      PredicateCondition(.disjunction([.isNull(name), .compare(name, .equal, .links([]))]))
    default: unknown
    }
  }

  /// The condition that the number of elements stands in the relation to the constant.
  func count(_ comparison: Filter.Comparison, _ constant: Any) -> PredicateCondition {
    guard let limit = constant as? Int else { return unknown }
    func holds(_ count: Int64) -> Bool {
      comparison.holds(.integer(count), .integer(Int64(limit)))
    }
    // Beyond zero only those relations are known that are the same for every number.
    let others: PredicateCondition =
      holds(1) == holds(.max) && (limit <= 1 || comparison != .equal && comparison != .notEqual)
      ? (holds(1) ? .always : .never) : .unknown
    let isEmpty = isEmpty
    return .any(of: [
      isEmpty.and(holds(0) ? .always : .never), isEmpty.negated.and(others),
    ])
  }
}
