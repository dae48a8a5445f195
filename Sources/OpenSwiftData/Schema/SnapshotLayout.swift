/// The ordered names of a snapshot's values, shared by all snapshots of an entity.
public final class SnapshotLayout: Sendable, Hashable {
  /// The names in order.
  public let names: [String]
  private let slots: [String: Int]
  /// The forms of the values; nil for values that have always the same.
  package let forms: [(any ValueForm)?]?

  /// Creates a layout from names; the first of duplicate names wins.
  public convenience init(_ names: [String]) { self.init(names, forms: nil) }

  init(_ names: [String], forms: [(any ValueForm)?]?) {
    self.names = names
    self.forms = forms
    slots = Dictionary(
      names.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The index of the name; nil if the layout does not contain it.
  public func slot(of name: String) -> Int? {
    // A few names are compared faster than one is hashed.
    names.count <= Self.comparedCount ? names.firstIndex(of: name) : slots[name]
  }

  /// The number of names up to which they are compared one by one.
  private static let comparedCount = 12

  /// The number of records to read at a time: the limit, or fewer if they have very many fields.
  package func pageCount(atMost limit: Int) -> Int { min(limit, 1 + 4_000_000 / (1 + names.count)) }

  /// True when both have the same names in the same order.
  public static func == (lhs: SnapshotLayout, rhs: SnapshotLayout) -> Bool {
    lhs === rhs || lhs.names == rhs.names
  }

  /// Hashes the names.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
