import OpenSwiftData

extension EntityTable {
  /// The live rows that the filter wants.
  ///
  /// - Throws: `PersistenceError` for unknown attributes and expressions that are none.
  func select(_ filter: Filter) throws -> Bitmap {
    let bound = try BoundFilter(filter, layout: entity.layout)
    return live.filter { row in bound.matches(columns.map { $0.value(at: row) }) }
  }
}
