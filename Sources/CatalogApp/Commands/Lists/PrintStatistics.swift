import OpenSwiftData

/// `stats`: prints statistics of one field.
struct PrintStatistics: Instruction {
  let selection: FieldSelection

  static let command = Command(
    "stats",
    usage: "[ENTITY] FIELD [where P] [join [all] FILE as NAME by KEY [= COLUMN],…]",
    summary: "print count, missing, distinct, min, max, mean and sum of a field",
    details: """
      FIELD can be an expression ("help functions"), and c.COLUMN after "join FILE as c by KEY" ("help list").
      Records without a value count only as missing. Sums of integers and decimals are exact; if a
      sum has more than 38 digits, mean and sum are missing, and a note says so. They are computed for numbers only.
      """
  ) { arguments, session in
    PrintStatistics(selection: try FieldSelection(reading: &arguments, in: session))
  }

  func perform(in session: Session) throws -> Outcome {
    let summary = try selection.summary(in: session)
    if summary.isSumOutOfRange {
      session.notes.remarks.append(
        "\(selection.field): the sum is out of range (more than 38 digits); sum and mean are not shown"
      )
    }
    return .table(OutputTable(columns: ["statistic", "value"], rows: summary.figures))
  }
}

/// One field of records.
struct FieldSelection: Hashable, Sendable {
  /// The records; the field is its only attribute.
  var query: Query
  let field: String
  /// The field and its number for each value, as a list with groups; nil if the store can read the field.
  var computed: ComputedColumns?
  /// True if the line has neither `where` nor an entity: on the screen, it means the records shown.
  var usesShownRecords: Bool
}

extension FieldSelection {
  /// Reads `[ENTITY] FIELD [where P]` to the end of the line.
  init(reading arguments: inout Arguments, in session: Session) throws {
    let schema = session.context.schema
    let words = arguments.remaining.prefix(2)
    let namesEntity =
      words.count == 2 && !["where", "join"].contains { words.last?.isKeyword($0) == true }
      && schema.entitiesByName[words.first?.text ?? ""] != nil
    let entity = try session.entity(namesEntity ? arguments.next()?.text : nil)
    let start = arguments
    let word = try arguments.require("field name")
    let isPlain = !arguments.remaining.contains { $0.isKeyword("join") }
    guard isPlain, arguments.isEmpty || arguments.peek?.isKeyword("where") == true,
      !word.isExpression || arguments.quotedPath(word) != nil
        || schema.entitiesByName[entity.name]?.fieldsByName[word.text] != nil
    else {
      arguments = start
      try self.init(computedIn: &arguments, of: entity, namesEntity: namesEntity, session)
      return
    }
    let known = session.withComputedColumns(entity)
    let column = try arguments.locating(word) {
      // The identifier is different in each record, so it is not a field here.
      if word.text == entity.identifierKey { _ = try entity.attribute(named: word.text) }
      if let name = arguments.quotedPath(word),
        let path = try FieldPath(name, of: entity, in: schema)
      {
        return try RecordListing.Column(path.name, of: entity, in: schema)
      }
      let computed = session.computedPaths(of: entity)
      let typed = session.origin.isOnScreen ? known.fieldName(typed: word.text) : nil
      return try RecordListing.Column(
        typed ?? word.text,
        of: entity,
        in: schema,
        computed: computed
      )
    }
    self.init(
      query: Query(entity.name, attributes: column.path?.fields ?? [column.name]),
      field: column.name,
      usesShownRecords: !namesEntity && arguments.isEmpty
    )
    if arguments.take("where") {
      query.filter = try arguments.requirePredicate(for: entity, in: session)
    }
    if usesShownRecords {
      try session.follow(&query, of: entity)
      query.sort = []
    }
  }

  /// Reads `EXPRESSION [where P] [join …]` to the end of the line.
  private init(
    computedIn arguments: inout Arguments,
    of entity: Schema.Entity,
    namesEntity: Bool,
    _ session: Session
  ) throws {
    var reader = try ListClauseReader(arguments.line, of: entity, in: session)
    let items = try reader.items(&arguments, after: "the command", as: .columns)
    guard items.count == 1 else {
      throw CommandError("expected one field or expression, found \(items.count)")
    }
    self.init(
      query: Query(entity.name),
      field: items[0].written.name,
      usesShownRecords: !namesEntity && arguments.isEmpty
    )
    try reader.takeRecords(&arguments, &query, session)
    if usesShownRecords {
      try session.follow(&query, of: entity)
      query.sort = []
    }
    try reader.count(by: items)
    computed = try reader.computed(query)
  }

  /// Summarizes the values; unless they are those of records on the screen, the store does it.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  fileprivate func summary(in session: Session) throws -> ValueSummary {
    if computed != nil {
      var summary = ValueSummary()
      var meter = WorkMeter()
      for (value, count) in try valueCounts(in: session) {
        for _ in 0..<count {
          try meter.count()
          summary.add(value)
        }
      }
      return summary
    }
    guard try needsRecords(session) else {
      return try session.context.summary(of: field, matching: query)
    }
    return try Leftovers.released(ValueSummary()) { summary in
      try forEachValue(in: session) { summary.add($0) }
      return summary
    }
  }

  /// How often each value occurs; unless the values are those of records on the screen, the store counts them.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  func valueCounts(in session: Session) throws -> [Value: Int] {
    if let computed {
      let selection = RecordSelection(query: query, usesShownRecords: usesShownRecords)
      let counts = try selection.table(of: computed, in: session).rows.map { row -> (Value, Int) in
        guard case .integer(let count) = row[1] else { return (row[0], 0) }
        return (row[0], Int(count))
      }
      return Dictionary(counts, uniquingKeysWith: +)
    }
    guard try needsRecords(session) else {
      return try session.context.valueCounts(of: field, matching: query)
    }
    let none: [Value: Int] = [:]
    return try Leftovers.released(none) { counts in
      try forEachValue(in: session) { counts[$0, default: 0] += 1 }
      return counts
    }
  }

  /// True if the store cannot read the values by itself.
  private func needsRecords(_ session: Session) throws -> Bool {
    let entity = try session.context.schema.entity(named: query.entityName)
    return usesScreen(session) || entity.fieldsByName[field] == nil
      || query.needsRecords(of: entity)
  }

  /// True if the records are some of those that the entity has, as the screen shows them.
  private func usesScreen(_ session: Session) -> Bool {
    usesShownRecords && session.origin.screen.map { !$0.areAll } ?? false
  }

  /// Reads the values.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  func forEachValue(in session: Session, _ body: (Value) -> Void) throws {
    let context = session.context
    let entity = try context.schema.entity(named: query.entityName)
    let column = try RecordListing.Column(
      field,
      of: entity,
      in: context.schema,
      computed: session.computedPaths(of: entity)
    )
    if usesScreen(session), let shown = try session.origin.takeShown(of: entity, in: context) {
      session.notes.scope = session.origin.screen?.summary(shown.count)
      return try column.forEachValue(of: entity, in: shown, context, body)
    }
    let query = Query(entity.name, filter: self.query.filter)
    if column.path != nil || query.needsRecords(of: entity) {
      return try column.forEachValue(of: entity, in: session.fetchIdentifiers(query), context, body)
    }
    try context.forEachPage(matching: query) { page in
      try Interruption.check()
      guard let slot = page.layout.slot(of: field) else { return }
      for value in page.values(slot: slot) { body(value) }
    }
  }
}

extension CommandText.Word {
  /// True for what can only be computed, such as `tags[*]` or `length(title)`.
  fileprivate var isExpression: Bool { text.contains("(") || text.contains("[*]") }
}

extension RecordListing.Column {
  /// Reads the values in the records, a batch at a time.
  fileprivate func forEachValue(
    of entity: Schema.Entity,
    in identifiers: [PersistentIdentifier],
    _ context: ModelContext,
    _ body: (Value) -> Void
  ) throws {
    let listing = RecordListing(entity: entity, columns: [self], identifiers: identifiers)
    let counter = WorkCounter(of: identifiers.count)
    for batch in identifiers.batches {
      let page = try listing.page(of: Array(batch), in: context)
      for value in page.values(of: self) { body(value) }
      try counter.add(batch.count)
    }
  }
}
