import OpenSwiftData

/// `merge`: makes one record of several.
struct MergeRecords: RecordInstruction {
  /// The record that stays, followed by those that are merged into it.
  var target: Target
  /// Values that the record gets instead of its own or of those that it lacks.
  var assignments: [Assignment] = []

  static let command = Command(
    "merge",
    usage: "ID ID …  |  merge [ENTITY] where P",
    summary: "make one record of several, such as duplicates",
    details: ShowRecord.identifierDetails + """
      \nThe first record stays. It gets the values that it lacks from the others, in their order; what refers to
      them refers to it, and they are deleted. One undo brings all of them back.
      On the screen, "merge" alone merges the marked records; "M" compares them first, field by field.
      """,
    changesData: true,
    isEdit: true
  ) { arguments, session in
    MergeRecords(target: try session.takeTarget(&arguments))
  }

  var asksAboveOne: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    let context = session.context
    let identifiers = try session.identifiers(of: target)
    guard let kept = identifiers.first, identifiers.count > 1 else {
      throw CommandError("merge: there must be two records or more; found \(identifiers.count)")
    }
    guard identifiers.allSatisfy({ $0.entityName == kept.entityName }) else {
      throw CommandError("merge: the records are of several entities")
    }
    let entity = try context.schema.entity(named: kept.entityName)
    let snapshots = try context.snapshots(for: identifiers)
    let records = identifiers.compactMap { snapshots[$0]?.arranged(as: entity.layout) }
    let others = Array(identifiers.dropFirst())
    let links = try moveLinks(from: others, to: kept, in: session)
    let values = try values(for: records, entity, in: session)
    if !values.isEmpty {
      _ = try SetValues(target: .records([kept]), assignments: values).perform(in: session)
    }
    _ = try DeleteRecords(target: .records(others)).perform(in: session)
    session.notes.count = identifiers.count
    let label = records.first.map(entity.label) ?? kept.description
    session.notes.stepName = "merge \(counted(others.count)) into \(label)"
    let done = "merged \(counted(others.count)) into \(label)"
    return links > 0 ? .note("\(done), moved \(counted(links, "link"))") : .done(done)
  }

  /// What the first record gets: the assigned values, and those that it lacks; links among the records would lead nowhere.
  private func values(
    for records: [DefaultSnapshot],
    _ entity: Schema.Entity,
    in session: Session
  ) throws -> [Assignment] {
    let merged = Set(records.map(\.persistentIdentifier))
    let assigned = Dictionary(assignments.map { ($0.field, $0.value) }) { $1 }
    let sources = try Self.sources(of: records, entity, in: session)
    return zip(entity.fields, sources).enumerated().compactMap { slot, item in
      let (field, source) = item
      guard field.unchangeableReason(records[0].persistentIdentifier) == nil else { return nil }
      let value = (assigned[field.name] ?? nil) ?? records[source].orderedValues[slot]
      let kept = value.withoutLinks(to: merged)
      return kept == records[0].orderedValues[slot] ? nil : Assignment(field.name, kept)
    }
  }

  /// For each field, the place of the record whose value stays: of the first one that has a value.
  static func sources(
    of records: [DefaultSnapshot],
    _ entity: Schema.Entity,
    in session: Session
  ) throws -> [Int] {
    let merged = Set(records.map(\.persistentIdentifier))
    return try entity.fields.enumerated().map { slot, field in
      guard field.unchangeableReason(records[0].persistentIdentifier) == nil else { return 0 }
      return try records.firstIndex { record in
        let value = record.orderedValues[slot].withoutLinks(to: merged)
        return try !value.isNull && value != .links([])
          && !leads(value, to: merged, by: field, in: session)
      } ?? 0
    }
  }

  /// True if a link leads back to one of the records by links of the same field, as from a child to its parent.
  private static func leads(
    _ value: Value,
    to records: Set<PersistentIdentifier>,
    by field: Schema.Attribute,
    in session: Session
  ) throws -> Bool {
    var seen: Set<PersistentIdentifier> = []
    var link = value
    while case .link(let record) = link, seen.insert(record).inserted {
      if records.contains(record) { return true }
      guard let next = try session.context.snapshot(of: record)?[field.name] else { return false }
      link = next
    }
    return false
  }

  /// Lets the records that refer to others refer to one record; returns the number of links.
  private func moveLinks(
    from others: [PersistentIdentifier],
    to kept: PersistentIdentifier,
    in session: Session
  ) throws -> Int {
    var count = 0
    for other in others {
      for found in try session.context.referrers(to: other) {
        let records = found.records.filter { $0 != kept && !others.contains($0) }
        guard !records.isEmpty else { continue }
        count += records.count
        let field = found.field.name
        guard case .links = found.field.type else {
          let link = Assignment(field, .link(kept))
          _ = try SetValues(target: .records(records), assignments: [link]).perform(in: session)
          continue
        }
        let snapshots = try session.context.snapshots(for: records)
        for record in records {
          guard case .links(let links)? = snapshots[record]?[field] else { continue }
          var seen: Set<PersistentIdentifier> = []
          let moved = links.map { $0 == other ? kept : $0 }.filter { seen.insert($0).inserted }
          let list = Assignment(field, .links(moved))
          _ = try SetValues(target: .records([record]), assignments: [list]).perform(in: session)
        }
      }
    }
    return count
  }
}

extension Schema.Attribute {
  /// The reason why the field of a record cannot be set; nil if it can.
  func unchangeableReason(_ record: PersistentIdentifier) -> String? {
    readOnlyReason ?? keyReason(record)
  }
}

extension Value {
  /// The value without links to some records.
  fileprivate func withoutLinks(to records: Set<PersistentIdentifier>) -> Value {
    switch self {
    case .link(let record) where records.contains(record): .null
    case .links(let list): .links(list.filter { !records.contains($0) })
    default: self
    }
  }
}
