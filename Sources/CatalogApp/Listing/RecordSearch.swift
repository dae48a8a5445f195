import OpenSwiftData

/// The test of a search: the values of the fields, and those of the computed columns that the table shows.
struct RecordSearch {
  private let entity: Schema.Entity
  private let fields: BoundFilter
  private let columns: [FieldPath]
  private let computed: BoundFilter?

  /// Prepares the test; in computed columns, only a search in all fields looks.
  init(_ filter: Filter, of entity: Schema.Entity, _ columns: [FieldPath]) throws {
    self.entity = entity
    fields = try BoundFilter(filter, layout: entity.layout)
    guard case .anyText = filter, !columns.isEmpty else {
      (self.columns, computed) = ([], nil)
      return
    }
    self.columns = columns
    computed = try BoundFilter(filter, layout: SnapshotLayout(columns.map(\.name)))
  }

  /// True if it computes values, which no store can search.
  var computes: Bool { computed != nil }

  /// Which of the records match.
  ///
  /// - Throws: The error of a store that cannot be read.
  func matches(_ records: [ListedRecord], _ context: ModelContext) throws -> [Bool] {
    let found = records.map { $0.snapshot.map(fields.matches) ?? false }
    guard let computed else { return found }
    let values = RecordFields(
      records.map { ($0.identifier, $0.snapshot?.orderedValues ?? []) },
      entity.layout
    )
    let cells = try columns.map { try context.values(at: $0, of: values) }
    return found.enumerated().map { place, isFound in
      isFound || records[place].snapshot != nil && computed.matches(cells.map { $0[place] })
    }
  }
}
