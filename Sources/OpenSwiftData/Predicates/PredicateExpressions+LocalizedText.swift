public import Foundation

// Foundation lacks these operators outside Apple's systems, although its macro uses them.
#if !canImport(Darwin)
  extension PredicateExpressions {
    /// Tests whether a text contains another, ignoring case and accents.
    public struct StringLocalizedStandardContains<
      Root: PredicateExpression,
      Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The type of the result: true or false.
      public typealias Output = Bool
      /// The text.
      public let root: Root
      /// The text to search for.
      public let other: Other

      /// Creates a search for one text in the other.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// True when the text contains the other, by the rules of Unicode, the same in every locale.
      ///
      /// As in Foundation, no text contains the empty text.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        guard let match = TextMatch(standardContaining: try other.evaluate(bindings)) else {
          return false
        }
        return try TextMatcher(match).matches(String(root.evaluate(bindings)))
      }
    }

    /// Compares texts, ignoring case.
    public struct StringCaseInsensitiveCompare<
      Root: PredicateExpression,
      Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The type of the result: an order.
      public typealias Output = ComparisonResult
      /// The first text.
      public let root: Root
      /// The second text.
      public let other: Other

      /// Creates a comparison of two texts.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// The order that Foundation gives.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
      }
    }

    /// Compares texts in the order of the current locale.
    public struct StringLocalizedCompare<
      Root: PredicateExpression,
      Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The type of the result: an order.
      public typealias Output = ComparisonResult
      /// The first text.
      public let root: Root
      /// The second text.
      public let other: Other

      /// Creates a comparison of two texts.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// The order that Foundation gives.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        try root.evaluate(bindings).localizedCompare(other.evaluate(bindings))
      }
    }

    /// Builds the expression for `localizedStandardContains` in `#Predicate`.
    public static func build_localizedStandardContains<Root, Other>(_ root: Root, _ other: Other)
      -> StringLocalizedStandardContains<Root, Other>
    { StringLocalizedStandardContains(root: root, other: other) }

    /// Builds the expression for `caseInsensitiveCompare` in `#Predicate`.
    public static func build_caseInsensitiveCompare<Root, Other>(_ root: Root, _ other: Other)
      -> StringCaseInsensitiveCompare<Root, Other>
    { StringCaseInsensitiveCompare(root: root, other: other) }

    /// Builds the expression for `localizedCompare` in `#Predicate`.
    public static func build_localizedCompare<Root, Other>(_ root: Root, _ other: Other)
      -> StringLocalizedCompare<Root, Other>
    { StringLocalizedCompare(root: root, other: other) }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable
  where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringLocalizedStandardContains: Codable
  where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
  where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
  where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedCompare: Sendable
  where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringLocalizedCompare: Codable
  where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif

// MARK: Lowering

extension PredicateExpressions.StringLocalizedStandardContains: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let root = root.term(in: scope)
    let other = other.term(in: scope)
    if root.isConstant, other.isConstant { return constantTerm(in: scope) }
    return PredicateTerm(
      root.condition(with: other) { subject, pattern in
        guard case .attribute(let attribute) = subject, let pattern = pattern.text else {
          return .unknown
        }
        return attribute.containsStandard(pattern)
      }
    )
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let root = root.term(in: scope)
    let other = other.term(in: scope)
    if root.isConstant, other.isConstant { return constantTerm(in: scope) }
    return root.flatMap { subject in
      other.flatMap { pattern in
        switch (subject, pattern.text, pattern, subject.text) {
        case (.attribute(let attribute), let text?, _, _),
          (_, _, .attribute(let attribute), let text?):
          PredicateTerm(.ordering(isSame: attribute.equalsIgnoringCase(text)))
        default: .unknown
        }
      }
    }
  }
}

extension PredicateExpressions.StringLocalizedCompare: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(root.term(in: scope), other.term(in: scope), in: scope)
  }
}

extension PredicateLeaf {
  /// The captured text.
  fileprivate var text: String? {
    switch self {
    case .constant(let text as String): text
    case .constant(let text as Substring): String(text)
    default: nil
    }
  }
}

extension PredicateAttribute {
  fileprivate func containsStandard(_ pattern: String) -> PredicateCondition {
    guard valueType == String.self, type == .text else { return unknown }
    guard let match = TextMatch(standardContaining: pattern) else { return .never }
    #if canImport(Darwin)
      return PredicateCondition(possible: .text(name, match), certain: .none)
    #else
      return PredicateCondition(.text(name, match))
    #endif
  }

  /// The condition that the texts differ at most in case, as Foundation compares; the upper bound also
  /// ignores accents.
  fileprivate func equalsIgnoringCase(_ text: String) -> PredicateCondition {
    guard valueType == String.self, type == .text else { return unknown }
    let match = TextMatch(.equals, text, options: [.caseInsensitive, .diacriticInsensitive])
    return PredicateCondition(possible: .text(name, match), certain: .none)
  }
}

extension TextMatch {
  /// Creates the test of `localizedStandardContains`; nil for the empty text, which no text contains.
  fileprivate init?(standardContaining pattern: some StringProtocol) {
    self.init(.contains, String(pattern), options: [.caseInsensitive, .diacriticInsensitive])
    if TextFolding.fold(self.pattern, options).isEmpty { return nil }
  }
}
