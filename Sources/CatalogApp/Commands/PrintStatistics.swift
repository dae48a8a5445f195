import OpenSwiftData

/// `stats`: prints statistics of one field.
struct PrintStatistics: Instruction {
  let selection: FieldSelection

  static let command = Command(
    "stats",
    usage: "[ENTITY] FIELD [where P]",
    summary: "print count, missing, distinct, min, max, mean and sum of a field",
    details: """
      Records without a value count only as missing. Sums of integers and decimals are exact; if a
      sum has more than 38 digits, mean and sum are missing, and a note says so. They are computed for numbers only.
      """
  ) { arguments, session in
    PrintStatistics(selection: try session.takeField(&arguments))
  }

  func perform(in session: Session) throws -> Outcome {
    let summary = try session.summary(of: selection)
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
  /// True if the line has neither `where` nor an entity: on the screen, it means the records shown.
  var usesShownRecords: Bool
}

extension Session {
  /// Reads `[ENTITY] FIELD [where P]` to the end of the line.
  func takeField(_ arguments: inout Arguments) throws -> FieldSelection {
    let words = arguments.remaining.prefix(2)
    let namesEntity =
      words.count == 2 && words.last?.isKeyword("where") == false
      && context.schema.entitiesByName[words.first?.text ?? ""] != nil
    let entity = try entity(namesEntity ? arguments.next()?.text : nil)
    let word = try arguments.require("field name")
    let column = try arguments.locating(word) {
      // The identifier is different in each record, so it is not a field here.
      if word.text == entity.identifierKey { _ = try entity.attribute(named: word.text) }
      if let name = arguments.quotedPath(word),
        let path = try FieldPath(name, of: entity, in: context.schema)
      {
        return try RecordListing.Column(path.name, of: entity, in: context.schema)
      }
      let typed = origin.isOnScreen ? entity.fieldName(typed: word.text) : nil
      return try RecordListing.Column(typed ?? word.text, of: entity, in: context.schema)
    }
    var selection = FieldSelection(
      query: Query(entity.name, attributes: [column.path?.field ?? column.name]),
      field: column.name,
      usesShownRecords: !namesEntity && arguments.isEmpty
    )
    if arguments.take("where") {
      selection.query.filter = try arguments.requirePredicate(for: entity, in: self)
    }
    try arguments.finish()
    if selection.usesShownRecords {
      try follow(&selection.query, of: entity)
      selection.query.sort = []
    }
    return selection
  }

  /// Summarizes the values; unless they are those of records on the screen, the store does it.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  fileprivate func summary(of selection: FieldSelection) throws -> ValueSummary {
    let entity = try context.schema.entity(named: selection.query.entityName)
    guard needsRecords(selection, entity) else {
      return try context.summary(of: selection.field, matching: selection.query)
    }
    var summary = ValueSummary()
    do {
      try forEachValue(of: selection) { summary.add($0) }
    } catch let stopped as Interruption.Stopped {
      Leftovers.release(summary)
      summary = ValueSummary()
      throw stopped
    }
    return summary
  }

  /// How often each value occurs; unless the values are those of records on the screen, the store counts them.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  func valueCounts(of selection: FieldSelection) throws -> [Value: Int] {
    let entity = try context.schema.entity(named: selection.query.entityName)
    guard needsRecords(selection, entity) else {
      return try context.valueCounts(of: selection.field, matching: selection.query)
    }
    var counts: [Value: Int] = [:]
    do {
      try forEachValue(of: selection) { counts[$0, default: 0] += 1 }
    } catch let stopped as Interruption.Stopped {
      Leftovers.release(counts)
      counts = [:]
      throw stopped
    }
    return counts
  }

  /// True if the store cannot read the values by itself.
  private func needsRecords(_ selection: FieldSelection, _ entity: Schema.Entity) -> Bool {
    usesScreen(selection) || entity.fieldsByName[selection.field] == nil
      || isAnsweredHere(selection.query, entity)
  }

  /// True if the records are some of those that the entity has, as the screen shows them.
  private func usesScreen(_ selection: FieldSelection) -> Bool {
    selection.usesShownRecords && origin.screen.map { !$0.areAll } ?? false
  }

  /// Reads the values.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  func forEachValue(of selection: FieldSelection, _ body: (Value) -> Void) throws {
    let entity = try context.schema.entity(named: selection.query.entityName)
    let column = try RecordListing.Column(selection.field, of: entity, in: context.schema)
    if usesScreen(selection), let shown = try takeShown(of: entity) {
      notes.scope = origin.screen?.summary(shown.count)
      return try forEachValue(of: column, entity, in: shown, body)
    }
    let query = Query(selection.query.entityName, filter: selection.query.filter)
    if column.path != nil || isAnsweredHere(query, entity) {
      return try forEachValue(of: column, entity, in: fetchIdentifiers(query), body)
    }
    try context.forEachPage(matching: query) { page in
      try Interruption.check()
      guard let slot = page.layout.slot(of: selection.field) else { return }
      for value in page.values(slot: slot) { body(value) }
    }
  }

  /// Reads the values of a column in the records, a batch at a time.
  private func forEachValue(
    of column: RecordListing.Column,
    _ entity: Schema.Entity,
    in identifiers: [PersistentIdentifier],
    _ body: (Value) -> Void
  ) throws {
    let listing = RecordListing(entity: entity, columns: [column], identifiers: identifiers)
    let counter = WorkCounter(of: identifiers.count)
    for batch in identifiers.batches {
      let page = try listing.page(of: Array(batch), in: context)
      for value in page.values(of: column) { body(value) }
      try counter.add(batch.count)
    }
  }
}
