import DataStoreTesting
import Foundation
import OpenSwiftData

/// Creates random predicates from the expressions that Foundation's macro uses.
struct PredicateMaker {
  typealias Film = PredicateFilm
  typealias Expression<V> = any StandardPredicateExpression<V>

  /// The expressions of one type.
  struct Domain<V: Codable & Sendable> {
    let paths: [any KeyPath<Film, V> & Sendable]
    let optionalPaths: [any KeyPath<Film, V?> & Sendable]
    let constants: [V]
  }

  let variable: PredicateExpressions.Variable<Film>
  var random: SeededGenerator

  init(variable: PredicateExpressions.Variable<Film>, random: SeededGenerator) {
    self.variable = variable
    self.random = random
  }

  static let texts = Domain(
    paths: [\.title, \.shout],
    optionalPaths: [\.note],
    constants: Film.texts
  )
  static let integers = Domain(
    paths: [\.year, \.age5],
    optionalPaths: [\.rank],
    constants: Film.whole
  )
  static let smalls = Domain(
    paths: [\.small],
    optionalPaths: [],
    constants: [-128, 0, 1] as [Int8]
  )
  static let larges = Domain(
    paths: [\.large],
    optionalPaths: [],
    constants: [0, 7, .max] as [UInt64]
  )
  static let numbers = Domain(
    paths: [\.rating],
    optionalPaths: [\.score],
    constants: Film.numbers + [.nan, .infinity, -.infinity]
  )
  static let decimals = Domain(paths: [\.price], optionalPaths: [], constants: Film.decimals)
  static let booleans = Domain(
    paths: [\.seen],
    optionalPaths: [\.liked],
    constants: [true, false]
  )
  static let dates = Domain(
    paths: [\.released],
    optionalPaths: [\.watched],
    constants: Film.dates + [.distantPast, .distantFuture, Date(timeIntervalSince1970: -1e18)]
  )
  static let keys = Domain(paths: [\.key], optionalPaths: [], constants: Film.keys)
  static let genres = Domain(
    paths: [\.genre],
    optionalPaths: [\.style],
    constants: Film.Genre.allCases
  )
  static let levels = Domain(
    paths: [],
    optionalPaths: [\.level],
    constants: Film.Level.allCases
  )
  static let codes = Domain(paths: [\.code], optionalPaths: [], constants: Film.codes)
  static let flags = Domain(
    paths: [\.flags],
    optionalPaths: [],
    constants: [0, 1, 3].map(Film.Flags.init)
  )
  static let pages = Domain(paths: [], optionalPaths: [\.page], constants: Film.pages)
  static let posters = Domain(paths: [], optionalPaths: [\.poster], constants: Film.posters)

  private static let patterns = [
    "a", "^a", "a$", "e.?", "(?i)k", "[a-f]+$", "\\d", "^$", "(a)\\r", "\\n", "é", "(?u:e)",
    ".\u{301}",
  ]

  /// Created each time, because expressions are not Sendable.
  static var expressions: [Regex<AnyRegexOutput>] { patterns.compactMap { try? Regex($0) } }

  mutating func pick<V>(_ values: [V]) -> V { values[below(values.count)] }
  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  // MARK: Conditions

  mutating func boolean(depth: Int) -> Expression<Bool> {
    switch depth == 0 ? 5 + below(5) : below(10) {
    case 0: return conjunction(boolean(depth: depth - 1), boolean(depth: depth - 1))
    case 1: return disjunction(boolean(depth: depth - 1), boolean(depth: depth - 1))
    case 2: return negation(boolean(depth: depth - 1))
    case 3:
      return conditional(
        boolean(depth: depth - 1),
        boolean(depth: depth - 1),
        boolean(depth: depth - 1)
      )
    case 4: return value(Self.booleans, depth: depth - 1)
    case 5: return ordered(depth: max(0, depth - 1))
    case 6: return text(depth: max(0, depth - 1))
    default: return equatable(depth: max(0, depth - 1))
    }
  }

  private mutating func equatable(depth: Int) -> Expression<Bool> {
    switch below(15) {
    case 0: equality(Self.texts, depth)
    case 1: equality(Self.integers, depth)
    case 2: equality(Self.smalls, depth)
    case 3: equality(Self.larges, depth)
    case 4: equality(Self.numbers, depth)
    case 5: equality(Self.decimals, depth)
    case 6: equality(Self.booleans, depth)
    case 7: equality(Self.dates, depth)
    case 8: equality(Self.keys, depth)
    case 9: equality(Self.genres, depth)
    case 10: equality(Self.levels, depth)
    case 11: equality(Self.codes, depth)
    case 12: equality(Self.flags, depth)
    case 13: equality(Self.pages, depth)
    default: equality(Self.posters, depth)
    }
  }

  private mutating func ordered(depth: Int) -> Expression<Bool> {
    switch below(8) {
    case 0: order(Self.texts, depth)
    case 1: order(Self.integers, depth)
    case 2: order(Self.smalls, depth)
    case 3: order(Self.larges, depth)
    case 4: order(Self.numbers, depth)
    case 5: order(Self.decimals, depth)
    case 6: order(Self.levels, depth)
    default: order(Self.dates, depth)
    }
  }

  private mutating func equality<V: Codable & Sendable & Equatable>(
    _ domain: Domain<V>,
    _ depth: Int
  ) -> Expression<Bool> {
    switch below(6) {
    case 0: equal(value(domain, depth: depth), value(domain, depth: depth))
    case 1: notEqual(value(domain, depth: depth), value(domain, depth: depth))
    case 2: equal(optional(domain, depth: depth), optional(domain, depth: depth))
    case 3: notEqual(optional(domain, depth: depth), optional(domain, depth: depth))
    case 4: contains(constants(of: domain), value(domain, depth: depth))
    default:
      contains(constants(of: domain).map { .some($0) } + [nil], optional(domain, depth: depth))
    }
  }

  private mutating func constants<V>(of domain: Domain<V>) -> [V] {
    (0..<below(4)).map { _ in pick(domain.constants) }
  }

  private mutating func order<V: Codable & Sendable & Comparable>(
    _ domain: Domain<V>,
    _ depth: Int
  ) -> Expression<Bool> {
    guard below(4) == 0 else {
      return comparison(
        value(domain, depth: depth),
        value(domain, depth: depth),
        pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
      )
    }
    let first = pick(domain.constants)
    let second = pick(domain.constants)
    // A range cannot have NaN as a bound.
    guard first <= second || second <= first else { return PredicateExpressions.Value(false) }
    let range = min(first, second)...max(first, second)
    return below(2) == 0
      ? inside(range, value(domain, depth: depth))
      : inside(range.lowerBound..<range.upperBound, value(domain, depth: depth))
  }

  private mutating func text(depth: Int) -> Expression<Bool> {
    let subject = value(Self.texts, depth: depth)
    return switch below(8) {
    case 5: standardContains(subject, value(Self.texts, depth: 0))
    case 6: sameIgnoringCase(subject, value(Self.texts, depth: 0))
    case 7: contains(subject, PredicateExpressions.build_Arg(pick(Self.expressions)))
    case 0: empty(subject)
    case 1: starts(subject, value(Self.texts, depth: 0))
    case 2: comparison(count(subject), PredicateExpressions.Value(below(3)), .greaterThan)
    case 3: equal(count(subject), PredicateExpressions.Value(below(3)))
    default: contains(subject, value(Self.texts, depth: 0))
    }
  }

  // MARK: Values

  mutating func value<V: Codable & Sendable>(_ domain: Domain<V>, depth: Int) -> Expression<V> {
    switch below(depth == 0 ? 4 : 8) {
    case 4: coalesce(optional(domain, depth: depth - 1), value(domain, depth: depth - 1))
    case 5: unwrap(optional(domain, depth: depth - 1))
    case 6:
      conditional(
        boolean(depth: depth - 1),
        value(domain, depth: depth - 1),
        value(domain, depth: depth - 1)
      )
    case 0...2 where !domain.paths.isEmpty: path(pick(domain.paths))
    default: PredicateExpressions.Value(pick(domain.constants))
    }
  }

  mutating func optional<V: Codable & Sendable>(_ domain: Domain<V>, depth: Int) -> Expression<V?> {
    switch below(depth == 0 ? 4 : 7) {
    case 0: PredicateExpressions.NilLiteral<V>()
    case 1: PredicateExpressions.Value(Optional(pick(domain.constants)))
    case 4: flatMap(optional(domain, depth: depth - 1), domain, depth: depth - 1)
    case 5:
      conditional(
        boolean(depth: depth - 1),
        optional(domain, depth: depth - 1),
        optional(domain, depth: depth - 1)
      )
    default:
      domain.optionalPaths.isEmpty
        ? PredicateExpressions.Value(Optional(pick(domain.constants)))
        : path(pick(domain.optionalPaths))
    }
  }

  private func path<V>(_ path: any KeyPath<Film, V> & Sendable) -> Expression<V> {
    PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
  }

  private mutating func flatMap<E: StandardPredicateExpression, V: Codable & Sendable>(
    _ wrapped: E,
    _ domain: Domain<V>,
    depth: Int
  ) -> Expression<V?> where E.Output == V? {
    switch below(3) {
    case 0: PredicateExpressions.OptionalFlatMap<_, V, _, V>(wrapped) { $0 }
    case 1: mapped(wrapped, value(domain, depth: depth))
    default: mapped(wrapped, optional(domain, depth: depth))
    }
  }

  private func mapped<E: StandardPredicateExpression, T: StandardPredicateExpression, V>(
    _ wrapped: E,
    _ transform: T
  ) -> Expression<V?> where E.Output == V?, T.Output == V {
    PredicateExpressions.OptionalFlatMap<E, V, T, V>(wrapped) { _ in transform }
  }

  private func mapped<E: StandardPredicateExpression, T: StandardPredicateExpression, V>(
    _ wrapped: E,
    _ transform: T
  ) -> Expression<V?> where E.Output == V?, T.Output == V? {
    PredicateExpressions.OptionalFlatMap<E, V, T, V>(wrapped) { _ in transform }
  }
}

extension PredicateFilm {
  /// Computed, so stores do not have it; does not overflow.
  var age5: Int { year / 5 }
}

// MARK: Nodes of operands whose types are not known before

private typealias Node = StandardPredicateExpression
private typealias Nodes = PredicateExpressions

private func conjunction<L: Node, R: Node>(_ left: L, _ right: R) -> any Node<Bool>
where L.Output == Bool, R.Output == Bool { Nodes.build_Conjunction(lhs: left, rhs: right) }

private func disjunction<L: Node, R: Node>(_ left: L, _ right: R) -> any Node<Bool>
where L.Output == Bool, R.Output == Bool { Nodes.build_Disjunction(lhs: left, rhs: right) }

private func negation<E: Node>(_ part: E) -> any Node<Bool> where E.Output == Bool {
  Nodes.build_Negation(part)
}

private func conditional<T: Node, Y: Node, N: Node>(_ test: T, _ yes: Y, _ no: N)
  -> any Node<Y.Output> where T.Output == Bool, Y.Output == N.Output
{ Nodes.build_Conditional(test, yes, no) }

private func equal<L: Node, R: Node>(_ left: L, _ right: R) -> any Node<Bool>
where L.Output == R.Output, L.Output: Equatable { Nodes.build_Equal(lhs: left, rhs: right) }

private func notEqual<L: Node, R: Node>(_ left: L, _ right: R) -> any Node<Bool>
where L.Output == R.Output, L.Output: Equatable { Nodes.build_NotEqual(lhs: left, rhs: right) }

private func comparison<L: Node, R: Node>(
  _ left: L,
  _ right: R,
  _ operation: Nodes.ComparisonOperator
) -> any Node<Bool> where L.Output == R.Output, L.Output: Comparable {
  Nodes.build_Comparison(lhs: left, rhs: right, op: operation)
}

private func coalesce<L: Node, R: Node>(_ left: L, _ right: R) -> any Node<R.Output>
where L.Output == R.Output? { Nodes.build_NilCoalesce(lhs: left, rhs: right) }

private func unwrap<E: Node, V>(_ part: E) -> any Node<V> where E.Output == V? {
  Nodes.build_ForcedUnwrap(part)
}

private func contains<V: Codable & Sendable & Equatable, E: Node>(_ values: [V], _ element: E)
  -> any Node<Bool> where E.Output == V
{ Nodes.build_contains(Nodes.Value(values), element) }

private func inside<V: Codable & Sendable & Comparable, E: Node>(
  _ range: ClosedRange<V>,
  _ element: E
) -> any Node<Bool> where E.Output == V { Nodes.build_contains(Nodes.Value(range), element) }

private func inside<V: Codable & Sendable & Comparable, E: Node>(_ range: Range<V>, _ element: E)
  -> any Node<Bool> where E.Output == V
{ Nodes.build_contains(Nodes.Value(range), element) }

private func contains<L: Node, R: Node>(_ text: L, _ part: R) -> any Node<Bool>
where L.Output == String, R.Output == String { Nodes.build_contains(text, part) }

private func starts<L: Node, R: Node>(_ text: L, _ part: R) -> any Node<Bool>
where L.Output == String, R.Output == String { Nodes.build_starts(text, with: part) }

private func standardContains<L: Node, R: Node>(_ text: L, _ part: R) -> any Node<Bool>
where L.Output == String, R.Output == String {
  Nodes.build_localizedStandardContains(text, part)
}

private func sameIgnoringCase<L: Node, R: Node>(_ text: L, _ other: R) -> any Node<Bool>
where L.Output == String, R.Output == String {
  Nodes.build_Equal(
    lhs: Nodes.build_caseInsensitiveCompare(text, other),
    rhs: Nodes.Value(ComparisonResult.orderedSame)
  )
}

private func contains<L: Node>(_ text: L, _ expression: Nodes.Value<Nodes.PredicateRegex>)
  -> any Node<Bool> where L.Output == String
{ Nodes.build_contains(text, expression) }

private func empty<E: Node>(_ text: E) -> any Node<Bool> where E.Output == String {
  Nodes.build_KeyPath(root: text, keyPath: \.isEmpty)
}

private func count<E: Node>(_ text: E) -> any Node<Int> where E.Output == String {
  Nodes.build_KeyPath(root: text, keyPath: \.count)
}
