/// The preserved values of a deleted record.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {
  // Unchecked because key paths are immutable, but are not declared Sendable.

  private let values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)]

  /// Creates a tombstone from properties and their values.
  public init(_ values: [(PartialKeyPath<Model>, any Sendable)]) {
    self.values = values.map { (keyPath: $0.0, value: $0.1) }
  }

  /// The value of the property; nil if it was not preserved.
  public subscript(_ keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { $0.keyPath == keyPath }?.value
  }

  /// The values in the order of the properties.
  public func makeIterator() -> AnyIterator<Any> {
    var rest = values.makeIterator()
    return AnyIterator { rest.next()?.value }
  }
}
