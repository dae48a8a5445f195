/// A condition on the records of an entity.
///
/// Filters come from three places: a `#Predicate`, the text after `where`, or code:
///
/// ```swift
/// let filter: Filter = .and([
///   .compare("year", .greater, .integer(2000)),
///   .text("title", TextMatch(.contains, "toy", options: .caseInsensitive)),
/// ])
/// let same = try FilterParser.parse(#"year > 2000 and title contains[c] "toy""#, for: entity)
/// let query = Query("Film", filter: filter)
/// ```
///
/// Every store evaluates or translates this closed set of cases. A comparison with a missing value is false, except
/// `!=` with a value, which is true; `not` inverts its operand. `description` is the text form.
///
/// **Threads.** A filter is a value and can be sent anywhere.
///
/// **Errors.** A filter contains names and is not bound to an entity. `validate(for:)` throws a ``PersistenceError`` for
/// an unknown field or a comparison that its type does not support.
public indirect enum Filter: Hashable, Sendable {
  /// Matches all records or none.
  case constant(Bool)
  /// Compares the attribute with the value.
  case compare(String, Comparison, Value)
  /// Compares the first attribute with the second.
  case compareAttributes(String, Comparison, String)
  /// The attribute is at least the first and at most the second value.
  case between(String, Value, Value)
  /// The attribute equals one of the values.
  case isIn(String, [Value])
  /// The text of the attribute matches.
  case text(String, TextMatch)
  /// The text form of any attribute matches.
  case anyText(TextMatch)
  /// The attribute has no value.
  case isNull(String)
  /// All filters match; true for an empty list.
  case and([Filter])
  /// At least one filter matches; false for an empty list.
  case or([Filter])
  /// The filter does not match.
  case not(Filter)

  /// Matches all records.
  public static let all = Filter.constant(true)

  /// A relation between two values.
  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    /// Equal.
    case equal = "="
    /// Not equal.
    case notEqual = "!="
    /// Less.
    case less = "<"
    /// Less or equal.
    case lessOrEqual = "<="
    /// Greater.
    case greater = ">"
    /// Greater or equal.
    case greaterOrEqual = ">="

    /// The comparison with its operands swapped: `a < b` is `b > a`.
    public var flipped: Comparison {
      switch self {
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      default: self
      }
    }
  }
}

/// A test of a text against a pattern.
public struct TextMatch: Hashable, Sendable {
  /// How the pattern is applied.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// The same text.
    case equals
    /// The pattern occurs in the text.
    case contains
    /// The text begins with the pattern.
    case beginsWith = "beginswith"
    /// The text ends with the pattern.
    case endsWith = "endswith"
    /// The whole text matches the pattern, in which `*` is any text and `?` any one character.
    case like
    /// The whole text matches the regular expression.
    case matches
  }

  /// The differences that the test ignores.
  public struct Options: OptionSet, Hashable, Sendable {
    /// One bit for each option.
    public let rawValue: UInt8
    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Ignores the difference between upper and lower case.
    public static let caseInsensitive = Options(rawValue: 1)
    /// Ignores accents on letters.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// Compares text like Swift strings: by whole characters, each in any of its encodings.
    ///
    /// Without this option, text is compared by bytes. It applies to `equals`, `contains`, `beginsWith` and
    /// `endsWith`; `like` and `matches` are not affected.
    public static let characters = Options(rawValue: 4)
    /// Tests JSON that is a string by its characters, too, without quotes and escapes.
    ///
    /// The parser sets it for JSON fields; the text form of a filter does not show it.
    package static let jsonStrings = Options(rawValue: 8)
    /// Ignores the case of the letters A to Z alone, as databases do; for `equals`.
    ///
    /// The text form of a filter does not show it.
    package static let asciiCaseInsensitive = Options(rawValue: 16)
  }

  /// How the pattern is applied.
  public var operation: Operation
  /// The pattern as it was written.
  public var pattern: String
  /// The differences that the test ignores.
  public var options: Options

  /// Creates a test.
  public init(_ operation: Operation, _ pattern: String, options: Options = []) {
    self.operation = operation
    self.pattern = pattern
    self.options = options
  }
}

extension Filter {
  /// The conjunction of both filters, without unnecessary nesting.
  public func and(_ other: Filter) -> Filter {
    switch (self, other) {
    case (.constant(true), _): other
    case (_, .constant(true)): self
    case (.and(let left), .and(let right)): .and(left + right)
    case (.and(let left), _): .and(left + [other])
    default: .and([self, other])
    }
  }

  /// The parts of a disjunction, with multiple equality tests of one attribute combined into a list.
  package static func gatheringEqualities(_ parts: [Filter]) -> [Filter] {
    guard parts.count > 8 else { return parts }
    var lists: [String: [Value]] = [:]
    var rest: [Filter] = []
    for part in parts {
      switch part {
      case .compare(let name, .equal, let value): lists[name, default: []].append(value)
      case .isIn(let name, let values): lists[name, default: []] += values
      default: rest.append(part)
      }
    }
    return lists.sorted { $0.key < $1.key }.map { .isIn($0.key, $0.value) } + rest
  }

  /// The parts that `and`, `or` and `not` connect.
  package var conditions: [Filter] {
    switch self {
    case .and(let parts), .or(let parts): parts.flatMap(\.conditions)
    case .not(let part): part.conditions
    default: [self]
    }
  }

  /// The filter with others in place of the parts that `and`, `or` and `not` connect.
  package func mapConditions(_ transform: (Filter) throws -> Filter) rethrows -> Filter {
    switch self {
    case .and(let parts): .and(try parts.map { try $0.mapConditions(transform) })
    case .or(let parts): .or(try parts.map { try $0.mapConditions(transform) })
    case .not(let part): .not(try part.mapConditions(transform))
    default: try transform(self)
    }
  }

  /// The names of the attributes that the filter uses; nil if it uses all.
  package var attributeNames: Set<String>? {
    var names: Set<String> = []
    for condition in conditions {
      switch condition {
      case .compare(let name, _, _), .between(let name, _, _), .isIn(let name, _),
        .text(let name, _), .isNull(let name):
        names.insert(name)
      case .compareAttributes(let left, _, let right): names.formUnion([left, right])
      case .anyText: return nil
      case .constant, .and, .or, .not: break
      }
    }
    return names
  }

  /// Checks that the attributes exist, the types can be compared and the patterns are valid.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute` or `.invalidFilter`.
  public func validate(for entity: Schema.Entity) throws {
    switch self {
    case .constant: break
    case .compare(let name, _, let value):
      try Self.check(value, against: entity.attribute(named: name))
    case .between(let name, let low, let high):
      let attribute = try entity.attribute(named: name)
      try Self.check(low, against: attribute)
      try Self.check(high, against: attribute)
    case .isIn(let name, let values):
      let attribute = try entity.attribute(named: name)
      for value in values { try Self.check(value, against: attribute) }
    case .compareAttributes(let left, _, let right):
      _ = try entity.attribute(named: left)
      _ = try entity.attribute(named: right)
    case .text(let name, let match):
      _ = try entity.attribute(named: name)
      _ = try TextMatcher(match)
    case .anyText(let match): _ = try TextMatcher(match)
    case .isNull(let name): _ = try entity.attribute(named: name)
    case .and(let parts), .or(let parts): for part in parts { try part.validate(for: entity) }
    case .not(let part): try part.validate(for: entity)
    }
  }

  private static func check(_ value: Value, against attribute: Schema.Attribute) throws {
    let fits =
      switch (value, attribute.type) {
      case (.null, _): true
      case (.integer, let type), (.number, let type), (.decimal, let type): type.isNumeric
      default: attribute.accepts(value)
      }
    guard fits else {
      throw PersistenceError(
        .invalidFilter,
        "cannot compare \(attribute.type.description) field \"\(attribute.name)\" with \(Value.quoted(value.text))"
      )
    }
  }
}
