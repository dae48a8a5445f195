public import Foundation

extension SortKey {
  /// The key for a descriptor over an attribute of the class; nil if a store cannot sort by it.
  ///
  /// The order is that of Foundation: nil comes first, and last when the order is reversed. Text is ordered
  /// by its scalars. Foundation orders by the scalars of the composed text, which is the same for text in
  /// normal form C; the position of other texts may differ.
  init?<T: PersistentModel>(_ descriptor: SortDescriptor<T>, of type: T.Type) {
    let description: ModelDescription = .of(type)
    guard let keyPath = descriptor.keyPath,
      let slot = description.slot(of: keyPath) ?? description.slot(ofBoolean: keyPath, type),
      Self.isLexical(descriptor.stringComparator)
    else { return nil }
    let field = description.entity.fields[slot]
    guard Self.isOrdered(PredicateConstant.unwrapped(field.valueType)) else { return nil }
    self.init(
      field.name,
      isDescending: descriptor.order == .reverse,
      nullsFirst: descriptor.order == .forward
    )
  }

  private static func isLexical(_ comparator: String.StandardComparator?) -> Bool {
    comparator.map { String.StandardComparator($0, order: .forward) == .lexical } ?? true
  }

  /// True when stored values have the order of the Swift values.
  private static func isOrdered(_ type: Any.Type) -> Bool {
    switch PredicateValueKind(type) {
    case .ordered, .text: true
    case .equatable: type == Bool.self
    case .custom:
      (type as? any (Comparable & CaseIterable & RawRepresentable).Type).map { isOrdered($0) }
        ?? false
    }
  }

  /// True when the cases are in the same order as their raw values.
  private static func isOrdered<E: Comparable & CaseIterable & RawRepresentable>(_ type: E.Type)
    -> Bool
  {
    let values = E.allCases.sorted().map { Value(converting: $0) }
    return zip(values, values.dropFirst()).allSatisfy { $0.compare($1) == .orderedAscending }
  }
}

extension ModelDescription {
  /// The slot of the Boolean property that the descriptor sorts by.
  fileprivate func slot<T: PersistentModel>(ofBoolean keyPath: AnyKeyPath, _ type: T.Type) -> Int? {
    keyPaths.firstIndex { candidate in
      switch candidate {
      case let path as KeyPath<T, Bool>: path.appending(path: \.ordered) == keyPath
      case let path as KeyPath<T, Bool?>: path.appending(path: \.ordered) == keyPath
      default: false
      }
    }
  }
}

extension SortDescriptor {
  /// Creates a descriptor that sorts by a Boolean, false before true.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(sendable(keyPath.appending(path: \.ordered)), order: order)
  }

  /// Creates a descriptor that sorts by a Boolean, nil before false before true.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(sendable(keyPath.appending(path: \.ordered)), order: order)
  }
}

/// The key path as a `Sendable` one; it is safe to share, but its type is not declared so.
func sendable<Root, V>(_ keyPath: KeyPath<Root, V>) -> any KeyPath<Root, V> & Sendable {
  unsafeBitCast(keyPath, to: (any KeyPath<Root, V> & Sendable).self)
}

/// A Boolean with an order.
struct OrderedBool: Comparable {
  let value: Bool

  static func < (left: OrderedBool, right: OrderedBool) -> Bool { !left.value && right.value }
}

extension Bool {
  var ordered: OrderedBool { OrderedBool(value: self) }
}

extension Bool? {
  var ordered: OrderedBool? { map { OrderedBool(value: $0) } }
}
