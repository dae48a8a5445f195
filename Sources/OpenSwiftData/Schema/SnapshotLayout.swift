/// The ordered names of a snapshot's values, shared by all snapshots of an entity.
public final class SnapshotLayout: Sendable, Hashable {
  /// The names in order.
  public let names: [String]
  private let slots: [String: Int]

  /// Creates a layout from names; the first of duplicate names wins.
  public init(_ names: [String]) {
    self.names = names
    slots = Dictionary(
      names.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The index of the name; nil if the layout does not contain it.
  public func slot(of name: String) -> Int? { slots[name] }

  /// True when both have the same names in the same order.
  public static func == (lhs: SnapshotLayout, rhs: SnapshotLayout) -> Bool {
    lhs === rhs || lhs.names == rhs.names
  }

  /// Hashes the names.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
