import Expressions
import OpenSwiftData

/// `list`: prints records.
struct ListRecords: Instruction {
  let selection: RecordSelection

  static let command = Command(
    "list",
    aliases: ["ls"],
    usage:
      "[ENTITY] [where P] [join [all] FILE as NAME by KEY [= COLUMN],…] [by K,… [having P]] [sort [-]FIELD,…] [limit N [per K,…]] [offset N] [fields A,B,… [distinct]]",
    summary: "print the records that match",
    details: """
      A field with - before it sorts in descending order; records without a value come last. With "fields",
      only these columns are printed, in this order; "id" can be one of them. Without it, the identifier and
      all fields are printed. In a file without identifiers, "fields id" prints the number of a row with a
      check of its values (8~k7q2), which commands that read identifiers need. With "distinct", a row is
      printed once. "join FILE as c by KEY = COLUMN" adds the row of a file with the same key to each record:
      its columns are c.COLUMN, without values if no row has the key ("where c.COLUMN is null" finds these
      records); "join all" prints a record once for each such row. In json, a list is one array of objects, with null for missing values; jsonl has one object per line. Without ENTITY and "where", a filter, sort
      and columns that were chosen before ("filter", "sort", "column hide" …) apply; "view reset" ends that.
      \(RecordSelection.fieldDetails)
      """
  ) { arguments, session in
    var selection = try RecordSelection(reading: &arguments, in: session)
    if selection.usesShownRecords, selection.columns == nil {
      let entity = try session.context.schema.entity(named: selection.query.entityName)
      selection.columns = session.scriptColumns(of: entity)
    }
    return ListRecords(selection: selection)
  }

  func perform(in session: Session) throws -> Outcome {
    if let computed = selection.computed {
      return .table(try selection.table(of: computed, in: session))
    }
    return .records(try selection.listing(in: session))
  }
}

/// Records to be printed or exported, and their columns.
struct RecordSelection: Hashable, Sendable {
  var query: Query
  /// The names of the columns, possibly with `id`; nil for the identifier and all fields.
  var columns: [String]?
  /// True if the line has neither `where` nor an entity: on the screen, it means the records shown.
  var usesShownRecords: Bool
  /// True to leave out rows with the same columns as an earlier one.
  var isDistinct = false
  /// The clauses of a list with computed columns; nil for a plain one.
  var computed: ComputedColumns?

  /// What can be written instead of a field, for the help of the commands that select records.
  static let fieldDetails = """
    A field of a linked record is written after the link: author.name. It can be used in "where", "sort" and
    "fields". After "sort", FIELD[l] is dictionary order: case and accents only decide between equal letters,
    and numbers in the text are ordered by their value.
    """.replacing("\n", with: " ")
}

extension RecordSelection {
  /// Finds the records.
  ///
  /// - Throws: The error of a store that cannot be read.
  func listing(in session: Session) throws -> RecordListing {
    let source = try source(in: session)
    var listing = RecordListing(
      entity: source.entity,
      columns: source.columns,
      identifiers: try source.identifiers ?? session.fetchIdentifiers(source.query)
    )
    listing.checks = source.checks
    return listing
  }

  /// The records to read: those of the query, or the ones on the screen.
  func source(in session: Session) throws -> RecordSource {
    let context = session.context
    var read = query
    read.attributes = try attributes(context.schema)
    if isDistinct { read.limit = nil }
    try context.settleTypes(reading: read)
    let entity = try context.schema.entity(named: query.entityName)
    let shown = usesShownRecords ? try session.takeShown(of: entity) : nil
    let names = self.columns ?? [entity.identifierKey] + entity.fields.map(\.name)
    let columns = try names.map { try RecordListing.Column($0, of: entity, in: context.schema) }
    var query = query
    // A page with unsaved records has all of their values.
    if !context.hasChanges { query.attributes = read.attributes }
    var identifiers: [PersistentIdentifier]?
    if isDistinct {
      identifiers = try distinctRecords(query, columns, shown, of: entity, session)
    } else if let shown {
      identifiers = try select(from: shown, query, session)
    } else if query.needsRecords(of: entity) || columns.contains(where: { $0.path != nil }) {
      identifiers = try session.fetchIdentifiers(query)
    }
    var source = RecordSource(
      entity: entity,
      columns: columns,
      query: query,
      identifiers: identifiers
    )
    // What asks for identifiers is often read by another command, when the file may have changed.
    if self.columns?.contains(entity.identifierKey) == true {
      source.checks = context.checks(of: entity.name)
    }
    return source
  }

  /// The fields that a selection reads; nil for all, as if columns are fields of linked records.
  private func attributes(_ schema: Schema) throws -> [String]? {
    let entity = try schema.entity(named: query.entityName)
    let names = columns?.filter { $0 != entity.identifierKey }
    guard let names, names.allSatisfy({ entity.fieldsByName[$0] != nil }) else { return nil }
    return Set(names).sorted()
  }

  /// The first record of each distinct row, within limit and offset.
  private func distinctRecords(
    _ query: Query,
    _ columns: [RecordListing.Column],
    _ shown: [PersistentIdentifier]?,
    of entity: Schema.Entity,
    _ session: Session
  ) throws -> [PersistentIdentifier] {
    var all = query
    (all.limit, all.offset) = (nil, 0)
    let identifiers =
      try shown.map { try select(from: $0, all, session) } ?? session.context.fetchIdentifiers(all)
    let rows = try session.context.distinct(
      RecordListing(entity: entity, columns: columns, identifiers: identifiers)
    )
    return Array(rows[query.window(of: rows.count)])
  }

  /// Applies the clauses to the records on the screen, and describes the result.
  private func select(
    from shown: [PersistentIdentifier],
    _ query: Query,
    _ session: Session
  ) throws -> [PersistentIdentifier] {
    var identifiers = shown
    if !query.sort.isEmpty {
      let wanted = Set(shown)
      identifiers = try session.context.fetchIdentifiers(Query(query.entityName, sort: query.sort))
        .filter(wanted.contains)
    }
    identifiers = Array(identifiers.dropFirst(query.offset).prefix(query.limit ?? .max))
    session.notes.scope = session.origin.screen?.summary(identifiers.count)
    return identifiers
  }

  /// Reads `[ENTITY]` and its clauses to the end of the line.
  init(reading arguments: inout Arguments, in session: Session) throws {
    let count = arguments.remaining.count
    let entity = try session.takeEntity(&arguments)
    let namesEntity = arguments.remaining.count < count
    self.init(query: Query(entity.name), usesShownRecords: !namesEntity)
    let hasFilter = try takeClauses(&arguments, of: entity, session)
    try arguments.finish()
    guard !isDistinct || columns != nil || computed?.columns.isEmpty == false else {
      throw CommandError("distinct: missing columns; use \"fields A,B distinct\"")
    }
    if hasFilter { usesShownRecords = false }
    if usesShownRecords { try session.follow(&query, of: entity) }
  }

  /// Reads the clauses in any order.
  ///
  /// - Returns: True when `where` is among them.
  private mutating func takeClauses(
    _ arguments: inout Arguments,
    of entity: Schema.Entity,
    _ session: Session
  ) throws -> Bool {
    var reader = try ListClauseReader(arguments.line, of: entity, in: session)
    var hasFilter = false
    var given: Set<String> = []
    while !arguments.isEmpty {
      if arguments.take("where") {
        hasFilter = true
        let filter = try reader.files.takeFilter(&arguments, of: entity, session)
        if let filter { query.filter = query.filter.and(filter) }
      } else if arguments.take("join") {
        try reader.files.takeJoin(&arguments)
      } else if arguments.take("sort") {
        reader.sort += try reader.items(&arguments, after: "sort", as: .sortKeys)
      } else if try arguments.takeOnce("by", &given) {
        reader.keys = try reader.items(&arguments, after: "by", as: .columns)
      } else if try arguments.takeOnce("having", &given) {
        try reader.takeHaving(&arguments)
      } else if try arguments.takeOnce("per", &given) {
        reader.per = try reader.items(&arguments, after: "per", as: .columns)
      } else if try arguments.takeOnce("limit", &given) {
        query.limit = try arguments.requireCount("limit")
      } else if try arguments.takeOnce("offset", &given) {
        query.offset = try arguments.requireCount("offset")
      } else if try arguments.takeOnce("fields", &given) {
        reader.columns = try reader.items(&arguments, after: "fields", as: .columns)
      } else if try arguments.takeOnce("distinct", &given) {
        isDistinct = true
      } else if reader.failing == nil, arguments.take("missing") {
        reader.failing = .missing
      } else if reader.failing == nil, arguments.take("skip") {
        reader.failing = .skip
      } else {
        throw CommandError(
          "expected where, join, by, having, sort, limit, offset, fields or distinct, found \(Value.quoted(arguments.peek?.text ?? ""))"
        )
      }
    }
    computed = try reader.computed(query)
    if computed?.sort.isEmpty ?? true {
      query.sort += reader.sort.map { SortKey($0.field.name, isDescending: $0.field.isDescending) }
    }
    if computed == nil, !reader.columns.isEmpty { columns = reader.columns.map(\.field.name) }
    return hasFilter
  }
}
