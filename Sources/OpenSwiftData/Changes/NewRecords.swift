/// Many new records of one entity without models, in columns.
///
/// An import holds its records like this until somebody needs one of them; a store that has columns itself takes these
/// over. Their identifiers are temporary, and their numbers follow each other.
package struct NewRecords: Sendable {
  /// The entity of the records.
  package let entity: Schema.Entity
  /// The values of each field, in the layout of the entity.
  package let columns: [PackedColumn]
  /// The number of records.
  package let count: Int
  private let scope: IdentifierScope
  private let firstSerial: UInt64
  private let context: UInt64

  /// Takes the values of records; their identifiers begin with this number.
  ///
  /// - Precondition: The columns are those of the entity, and equally long.
  init(_ columns: [PackedColumn], of entity: Schema.Entity, firstSerial: UInt64, context: UInt64) {
    precondition(columns.map(\.kind) == entity.fields.map(\.type.kind), "the columns of the entity")
    count = columns.first?.count ?? 0
    let count = count
    precondition(columns.allSatisfy { $0.count == count }, "columns of equal length")
    (self.entity, self.columns) = (entity, columns)
    (self.firstSerial, self.context) = (firstSerial, context)
    scope = entity.temporaryScope
  }

  /// The identifier of a record.
  package func identifier(at place: Int) -> PersistentIdentifier {
    scope.temporaryIdentifier(firstSerial + UInt64(place), context: context)
  }

  /// The identifiers of all records, in order.
  package var identifiers: [PersistentIdentifier] { (0..<count).map(identifier) }

  /// The values of a record.
  package func values(at place: Int) -> [Value] {
    columns.indices.map { columns[$0].value(at: place) }
  }

  /// A record.
  package func snapshot(at place: Int) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifier(at: place),
      layout: entity.layout,
      orderedValues: values(at: place)
    )
  }

  /// The records.
  ///
  /// - Complexity: O(n) in the number of values.
  package var snapshots: [DefaultSnapshot] { (0..<count).map(snapshot) }
}
