import OpenSwiftData

/// A rule, ready to test the records of its entity.
struct RuleTest {
  private enum Kind {
    case refused(BoundFilter)
    /// The records that a condition has found that cannot be tested record by record.
    case found(Set<PersistentIdentifier>)
    case readable(AttributeType, BoundFilter)
    case unique
  }

  /// The records that break the rule.
  private(set) var group: ProblemGroup
  private let rule: RecordRule
  /// The place of the field of the rule; nil without one.
  private let slot: Int?
  private let kind: Kind
  private var keys: RepeatedKeys?

  /// Prepares a rule for records whose values have a layout.
  ///
  /// - Throws: The error of a store that cannot be read.
  init(_ rule: RecordRule, _ layout: SnapshotLayout, in context: ModelContext) throws {
    self.rule = rule
    group = ProblemGroup("\(rule.entityName): \(rule.words)", isRule: true)
    slot = rule.field.flatMap { layout.slot(of: $0) }
    switch rule.content {
    case .refused(let filter):
      if let bound = try? BoundFilter(filter, layout: layout) {
        kind = .refused(bound)
      } else {
        // Conditions about linked records are answered by the store.
        let query = Query(rule.entityName, filter: filter)
        kind = .found(Set(try context.fetchIdentifiers(matching: query)))
      }
    case .readable(let type, let filter):
      let field = SnapshotLayout(rule.field.map { [$0] } ?? [])
      kind = .readable(type, try BoundFilter(filter, layout: field))
    case .unique(let names):
      kind = .unique
      keys = RepeatedKeys(names.compactMap { layout.slot(of: $0) }, ignoresMissing: true)
    }
  }

  /// True if the records must be read again.
  var needsSecondReading: Bool { keys?.mayRepeat ?? false }

  /// Tests a record in the first reading.
  mutating func test(_ values: [Value], _ record: PersistentIdentifier) {
    let isBroken: Bool
    switch kind {
    case .refused(let filter): isBroken = filter.matches(values)
    case .found(let records): isBroken = records.contains(record)
    case .readable(let type, let filter):
      guard let slot, !values[slot].isNull else { return }
      isBroken = values[slot].read(as: type).map { !filter.matches([$0]) } ?? true
    case .unique:
      keys?.note(values)
      return
    }
    if isBroken { group.add(record, rule.field, value(in: values), rule.words) }
  }

  /// Tests a record in the second reading.
  mutating func testAgain(_ values: [Value], _ record: PersistentIdentifier) {
    guard let earlier = keys?.earlier(values, record) else { return }
    let words = rule.words
    group.add(record, rule.field, value(in: values), "\(words); same as record \(earlier)")
  }

  private func value(in values: [Value]) -> Value { slot.map { values[$0] } ?? .null }
}

extension Value {
  /// The value as one of a type; nil if its text is none.
  fileprivate func read(as type: AttributeType) -> Value? {
    if kind == type.kind { return self }
    if type == .number || type == .decimal, asDouble != nil { return self }
    if type == .text {
      guard case .json = self else { return self }
      return characters.map { .text($0) }
    }
    return try? Value(reading: characters ?? text, as: type)
  }

  /// The characters of a text, also of one in JSON; nil for any other value.
  var characters: String? {
    switch self {
    case .text(let text): return text
    case .json(var json):
      guard json.utf8.first == UInt8(ascii: "\"") else { return nil }
      return json.withUTF8 { bytes in TextMatch.characters(ofJSON: bytes) }
    default: return nil
    }
  }
}
