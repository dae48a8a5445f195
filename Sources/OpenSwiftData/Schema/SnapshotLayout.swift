/// The names of the values of a snapshot in their order, shared by all snapshots of an entity.
public final class SnapshotLayout: Sendable, Hashable {
  /// The names in order.
  public let names: [String]
  private let slots: [String: Int]

  /// Creates a layout from names, the first of which wins where two are the same.
  public init(_ names: [String]) {
    self.names = names
    slots = Dictionary(
      names.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The place of the name; nil when it is not among them.
  public func slot(of name: String) -> Int? { slots[name] }

  /// Same names in the same order.
  public static func == (lhs: SnapshotLayout, rhs: SnapshotLayout) -> Bool {
    lhs === rhs || lhs.names == rhs.names
  }

  /// Feeds the names.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
