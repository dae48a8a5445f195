import Expressions
import OpenSwiftData

/// `list`: prints records.
struct ListRecords: Instruction {
  let selection: RecordSelection

  static let command = Command(
    "list",
    aliases: ["ls"],
    usage:
      "[ENTITY] [where P] [join [all] FILE as NAME by KEY [= COLUMN],…] [by K,… [having P]] [sort [-]FIELD,…] [limit N] [per K,…] [offset N] [sample N [seed S]] [fields A,B,… [distinct]] [missing|skip]",
    summary: "print the records that match",
    details: """
      The clauses can be written in any order, each once; "join" as often as needed. K, A and B are fields or
      expressions ("help functions"), P is a predicate ("help predicates").

        where P            only the records that match
        join FILE as c by KEY = COLUMN
                           adds the row of a file with the same key: its columns are c.COLUMN, without values if no
                           row has the key (where c.COLUMN is null); "join all" prints a record for each such row
        by K,…             a row for each group of records, by default with the number of records
        having P           only the groups that match: having count() > 1
        sort [-]FIELD,…    in this order, with - descending; records without a value come last. FIELD[l] is
                           dictionary order: case and accents only decide between equal letters, and numbers in the
                           text are ordered by their value
        limit N            the first N; with "per K" the first N for each K
        per K,…            limit N and functions such as row() and prev(x) begin again for each K
        offset N           leaves out the first N
        sample N seed S    N records chosen at random, always the same ones for the same S (0 by default)
        fields A,B,…       exactly these columns, in this order; "A as NAME" names one; "id" can be one
        distinct           prints equal rows once
        missing, skip      what happens where an expression has no value: the column is empty, or the record is
                           skipped; otherwise the list fails

        list where price > 5 sort -price limit 10 fields name, price * 1.2 as gross
        list by city having n > 1 fields city, count() as n, sum(amount) as total
        list sort day per city fields city, day, amount - prev(amount) as change

      A field of a linked record is written after the link, also in "where" and "sort": author.name. Without
      "fields", the identifier and all fields are printed; "fields id" prints the number of a row with a check of
      its values (8~k7q2) in a file without identifiers, which commands that read identifiers need. In json, a list
      is one array of objects, with null for missing values; jsonl has one object per line. Without ENTITY and
      "where", a filter, sort and columns that were chosen before ("filter", "sort", "column hide" …) apply;
      "view reset" ends that.
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
}

extension RecordSelection {
  /// Finds the records.
  ///
  /// - Throws: The error of a store that cannot be read.
  func listing(in session: Session) throws -> RecordListing {
    let source = try source(in: session)
    return source.listing(of: try source.identifiers ?? session.fetchIdentifiers(source.query))
  }

  /// The records to read: those of the query, or the ones on the screen.
  func source(in session: Session) throws -> RecordSource {
    let context = session.context
    var read = query
    read.attributes = try attributes(context.schema)
    if isDistinct { read.limit = nil }
    try context.settleTypes(reading: read)
    let entity = try context.schema.entity(named: query.entityName)
    let shown = usesShownRecords ? try session.origin.takeShown(of: entity, in: context) : nil
    let names = self.columns ?? [entity.identifierKey] + entity.fields.map(\.name)
    let computed = session.computedPaths(of: entity)
    let columns = try names.map {
      try RecordListing.Column($0, of: entity, in: context.schema, computed: computed)
    }
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
      try shown.map { try select(from: $0, all, session) } ?? session.fetchIdentifiers(all)
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
      identifiers = try session.fetchIdentifiers(Query(query.entityName, sort: query.sort))
        .filter(wanted.contains)
    }
    identifiers = Array(identifiers.dropFirst(query.offset).prefix(query.limit ?? .max))
    session.notes.scope = session.origin.screen?.summary(identifiers.count)
    return identifiers
  }

  /// The shape of a table.
  enum Shape: String, CaseIterable {
    case list
    case pivot
    case unpivot

    /// The clauses that may follow, each of which has a word.
    var clauses: [String] {
      switch self {
      case .list:
        [
          "where", "join", "by", "having", "sort", "limit", "per", "offset", "sample", "fields",
          "distinct", "missing", "skip",
        ]
      case .pivot: ["where", "join", "sort", "limit", "offset"]
      case .unpivot: ["where", "join", "having", "sort", "limit", "offset"]
      }
    }

    /// The clauses, for a message.
    fileprivate var expected: String {
      clauses.dropLast().joined(separator: ", ") + " or \(clauses[clauses.count - 1])"
    }
  }

  /// Reads `[ENTITY]` and its clauses to the end of the line.
  init(reading arguments: inout Arguments, as shape: Shape = .list, in session: Session) throws {
    let count = arguments.remaining.count
    let entity =
      shape == .list
      ? try session.takeEntity(&arguments) : try arguments.takeEntityBeforeFields(in: session)
    let namesEntity = arguments.remaining.count < count
    self.init(query: Query(entity.name), usesShownRecords: !namesEntity)
    let hasFilter = try takeClauses(&arguments, of: entity, as: shape, session)
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
    as shape: Shape,
    _ session: Session
  ) throws -> Bool {
    var reader = try ListClauseReader(arguments.line, of: entity, in: session)
    var hasFilter = false
    var given: Set<String> = []
    switch shape {
    case .list: break
    case .pivot: try reader.takePivot(&arguments)
    case .unpivot: try reader.takeUnpivot(&arguments)
    }
    while let word = arguments.peek {
      guard shape.clauses.contains(where: { word.isKeyword($0) }) else {
        let hint = word.text.contains("(") && shape == .list ? "; write columns after fields" : ""
        throw CommandError("expected \(shape.expected), found \(Value.quoted(word.text))\(hint)")
      }
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
      } else if try arguments.takeOnce("sample", &given) {
        try reader.takeSample(&arguments)
      } else {
        guard reader.failing == nil else { throw CommandError("write missing or skip once") }
        reader.failing = arguments.take("missing") ? .missing : .skip
        if reader.failing == .skip { _ = arguments.take("skip") }
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
