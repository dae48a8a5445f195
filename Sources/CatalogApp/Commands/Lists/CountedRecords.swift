import OpenSwiftData

/// The records that a command counts: `[where P] [join [all] FILE as NAME by KEY [= COLUMN],…]`.
struct CountedRecords: Hashable, Sendable {
  var query: Query
  /// The count as a column of a list with joined files; nil without files.
  private var computed: ComputedColumns?

  /// Reads the clauses to the end of the line.
  init(reading arguments: inout Arguments, of entity: Schema.Entity, in session: Session) throws {
    query = Query(entity.name)
    let joins = arguments.remaining.contains { $0.isKeyword("join") }
    guard joins else {
      if arguments.take("where") {
        query.filter = try arguments.requirePredicate(for: entity, in: session)
      }
      return
    }
    var reader = try ListClauseReader(arguments.line, of: entity, in: session)
    try reader.takeRecords(&arguments, &query, session)
    try reader.count()
    computed = try reader.computed(query)
  }

  /// Counts the records; those that are joined to several rows count for each of them.
  ///
  /// - Throws: The error of a store that cannot be read, and `CommandError` for a record whose row cannot be found.
  func count(in session: Session) throws -> Int {
    guard let computed else { return try session.context.fetchCount(query) }
    let selection = RecordSelection(query: query, usesShownRecords: false)
    let value = try selection.table(of: computed, in: session).rows.first?.first
    guard case .integer(let count) = value else { return 0 }
    return Int(count)
  }
}
