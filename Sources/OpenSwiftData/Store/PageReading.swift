/// Records that can be read page by page, without a snapshot for each.
package protocol PageReading: Sendable {
  /// Calls the body with the records that match, in order, page by page.
  ///
  /// The pages show the records as they were when the call began. They may have more values than
  /// `query.attributes` names.
  ///
  /// - Throws: As `snapshots(matching:)` of `QueryableStore`, and what the body throws.
  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws

  /// The existing ones of these records of one entity, in order, with these values or more; with all for nil.
  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
}

extension Schema.Entity {
  /// The error of reading records in parts, of which some had other fields or types.
  package var changedError: PersistenceError {
    PersistenceError(
      .conflict,
      "another program changed \(name) while its records were read; try again"
    )
  }
}
