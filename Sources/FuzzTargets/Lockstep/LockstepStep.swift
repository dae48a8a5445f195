/// The records that a line affects.
enum LockstepTarget: Hashable {
  case record(Int)
  case matching(LockstepCondition)
}

/// A field and its new value.
struct LockstepAssignment: Hashable {
  let field: LockstepField
  let cell: LockstepCell
}

/// One step of a script, for all stores and the model.
enum LockstepStep: Hashable {
  /// Starts the stores with these records in a file without a header; always the first step.
  case begin(LockstepEntity)
  case insert(String, Int, [LockstepAssignment])
  case set(String, LockstepTarget, [LockstepAssignment])
  case delete(String, LockstepTarget)
  case save, rollback, undo, redo, reopen, check, compact
  case create(LockstepEntity)
  case add(String, LockstepField)
  case rename(String, String, String)
  case drop(String, String)
  case count(String, LockstepCondition)
  case frequencies(String, LockstepField)
  /// Lists records by tag, ascending or descending, with a limit and an offset.
  case list(String, LockstepCondition, isReversed: Bool, limit: Int, offset: Int)
  case show(String, Int)
  case stats(String, LockstepField)
  case status
  /// Copies to another store; the file extension determines its format.
  case copy(String)
  /// Exports in a format, and imports into a new entity with the same fields.
  case importBack(String, String, String)
  /// Exports, and imports into a new entity that import creates.
  case importNew(String, String, String)
  /// Reverts the record to its values a number of saves ago.
  case revert(String, Int, Int)
  /// A line that fails and changes nothing.
  case wrong(String)
}

/// The expected result of a step.
enum LockstepExpectation: Equatable {
  /// Succeeds with this output; nil leaves the output open.
  case done(String?)
  /// The output contains this.
  case tells(String)
  /// Prints these records, by their tags.
  case lists([Int])
  /// Prints a record as the list of its entity has it.
  case shows(String, Int)
  case fails
  /// The step is not applicable because steps that it depends on were removed.
  case senseless
}

/// The model over time: unsaved and saved states, and the steps that can be undone.
struct LockstepWorld {
  private let flaw: LockstepFlaw?
  private(set) var now = LockstepModel()
  private(set) var saved = LockstepModel()
  private var past: [LockstepModel] = []
  private var future: [LockstepModel] = []
  /// True if undo may go back to what was saved before the store was opened again, as far as its history reaches.
  private var mayReachEarlierRuns = false
  /// The content of the store when it was opened, and after each save since.
  private(set) var saves = [LockstepModel()]

  init(flaw: LockstepFlaw? = nil) { self.flaw = flaw }

  /// Applies a step and returns its expected result.
  mutating func take(_ step: LockstepStep) -> LockstepExpectation {
    let before = now
    let expectation = takeSoundly(step)
    if let flaw, expectation != .senseless { now.spoil(flaw, after: step, before) }
    return expectation
  }

  private mutating func takeSoundly(_ step: LockstepStep) -> LockstepExpectation {
    switch step {
    case .begin(let entity):
      saved = LockstepModel(entities: [entity])
      (now, past, future, saves) = (saved, [], [], [saved])
      mayReachEarlierRuns = false
      return .done(nil)
    case .save: return save()
    case .rollback:
      let saved = saved
      change { $0 = saved }
      return .done(nil)
    case .undo where past.isEmpty && mayReachEarlierRuns: return .senseless
    case .undo: return move(from: \.past, to: \.future)
    case .redo: return move(from: \.future, to: \.past)
    case .reopen:
      (now, past, future, saves) = (saved, [], [], [saved])
      mayReachEarlierRuns = true
      return .done(nil)
    // A check names missing values of unsaved changes, too.
    case .check: return now.isComplete ? .done(nil) : .fails
    case .compact: return .done(nil)
    case .wrong: return .fails
    case .copy: return now.entities.isEmpty || !now.isComplete ? .fails : .done(nil)
    case .count(let name, let condition):
      guard isKnown(name, condition) else { return .senseless }
      return .done("\(now.records(of: name, where: condition).count)\n")
    case .frequencies(let name, let field):
      return now[name]?.fields.contains(field) == true ? .done(nil) : .senseless
    case .list, .show, .stats, .status: return read(step)
    default: return takeChange(step)
    }
  }

  /// The expected result of a line that changes nothing.
  private func read(_ step: LockstepStep) -> LockstepExpectation {
    switch step {
    case .list(let name, let condition, let isReversed, let limit, let offset):
      guard isKnown(name, condition) else { return .senseless }
      let tags = now.records(of: name, where: condition).sorted()
      return .lists(Array((isReversed ? tags.reversed() : tags).dropFirst(offset).prefix(limit)))
    case .show(let name, let tag):
      let isThere = now[name]?.records.contains { $0.tag == tag } == true
      return isThere ? .shows(name, tag) : .senseless
    case .stats(let name, let field):
      guard let entity = now[name], entity.fields.contains(field) else { return .senseless }
      let cells = entity.records.map { $0[field.name] }.filter { $0 != .missing }
      // Text equality depends on complex rules.
      let distinct = field.type == .text ? "" : "\(Set(cells).count)}"
      return .tells(
        """
          {"statistic": "count", "value": \(cells.count)},
          {"statistic": "missing", "value": \(entity.records.count - cells.count)},
          {"statistic": "distinct", "value": \(distinct)
        """
      )
    case .status:
      guard now.shape == saved.shape else { return .done(nil) }
      let counts = now.changes(since: saved)
      return .tells(
        "inserted: \(counts.inserted)\nupdated: \(counts.updated)\ndeleted: \(counts.deleted)\n"
      )
    default: return .senseless
    }
  }

  private mutating func takeChange(_ step: LockstepStep) -> LockstepExpectation {
    switch step {
    case .insert(let name, let tag, let assignments):
      guard areKnown(assignments, in: name),
        self.now[name]?.records.contains(where: { $0.tag == tag }) == false
      else { return .senseless }
      change { $0.insert(name, tag, Self.cells(assignments)) }
    case .set(let name, let target, let assignments):
      guard areKnown(assignments, in: name), let tags = tags(of: name, target) else {
        return .senseless
      }
      change { $0.set(name, tags, Self.cells(assignments)) }
    case .delete(let name, let target):
      guard let tags = tags(of: name, target) else { return .senseless }
      var isAllowed = true
      change { isAllowed = $0.delete(name, tags) }
      return isAllowed ? .done(nil) : .fails
    case .importBack(let name, let format, let new): return importBack(name, format, new)
    case .importNew(let name, _, let new):
      // Import would take identifiers of unsaved records for values.
      guard let entity = now[name], !entity.records.isEmpty, now[new] == nil,
        entity.records.allSatisfy({ record in
          saved[name]?.records.contains { $0.tag == record.tag } == true
        })
      else { return .senseless }
      change { $0.create(Self.copy(of: entity, as: new, isTyped: false, losesNull: true)) }
    case .revert(let name, let tag, let back):
      guard let cells = cells(of: name, tag, back) else { return .senseless }
      change { $0.set(name, [tag], cells) }
    default: return takeSchemaChange(step)
    }
    return .done(nil)
  }

  private mutating func takeSchemaChange(_ step: LockstepStep) -> LockstepExpectation {
    switch step {
    case .create(let entity):
      let links = entity.fields.compactMap(\.destination)
      guard now[entity.name] == nil, links.allSatisfy({ now[$0] != nil || $0 == entity.name })
      else {
        return .senseless
      }
      change { $0.create(entity) }
    case .add(let name, let field):
      guard let entity = now[name], field.destination.map({ now[$0] != nil }) ?? true,
        !entity.fields.contains(where: { $0.name == field.name })
      else { return .senseless }
      if field.isRequired, field.defaultValue == nil { return .fails }
      change { $0.add(field, to: name) }
    case .rename(let name, let old, let new):
      guard let entity = now[name], entity.fields.contains(where: { $0.name == old }),
        !entity.fields.contains(where: { $0.name == new })
      else { return .senseless }
      change { $0.rename(old, to: new, in: name) }
    case .drop(let name, let field):
      guard now[name]?.fields.contains(where: { $0.name == field }) == true else {
        return .senseless
      }
      change { $0.drop(field, from: name) }
    default: return .senseless
    }
    return .done(nil)
  }

  // MARK: Through time

  private mutating func change(_ body: (inout LockstepModel) -> Void) {
    let before = now
    body(&now)
    guard now.shape != before.shape || !now.equals(before) else { return }
    past.append(before)
    future = []
  }

  private mutating func move(
    from source: WritableKeyPath<LockstepWorld, [LockstepModel]>,
    to target: WritableKeyPath<LockstepWorld, [LockstepModel]>
  ) -> LockstepExpectation {
    guard let other = self[keyPath: source].popLast() else { return .fails }
    self[keyPath: target].append(now)
    now = other
    return .done(nil)
  }

  private mutating func save() -> LockstepExpectation {
    guard now.isComplete else { return .fails }
    if flaw == .losesEmptyStores, now.entities.allSatisfy({ $0.records.isEmpty }) {
      return .done(nil)
    }
    let line = now.shape == saved.shape ? now.saveLine(over: saved) : nil
    saved = now
    saves.append(now)
    return .done(line)
  }

  private mutating func importBack(_ name: String, _ format: String, _ new: String)
    -> LockstepExpectation
  {
    guard let entity = now[name], now[new] == nil,
      entity.fields.allSatisfy({ $0.type != nil || $0.destination != nil }),
      format != "tsv" || !entity.hasNulCharacters
    else { return .senseless }
    let copy = Self.copy(of: entity, as: new, isTyped: true, losesNull: format.hasPrefix("json"))
    let isComplete = copy.fields.allSatisfy { field in
      !field.isRequired || copy.records.allSatisfy { $0[field.name] != .missing }
    }
    var empty = copy
    empty.records = []
    change { $0.create(empty) }
    guard isComplete else { return .fails }
    change { model in
      for place in model.entities.indices where model.entities[place].name == new {
        model.entities[place].records = copy.records
      }
    }
    return .done(nil)
  }

  /// A copy of an entity without its links; JSON cannot distinguish the JSON value null from no
  /// value.
  private static func copy(
    of entity: LockstepEntity,
    as name: String,
    isTyped: Bool,
    losesNull: Bool
  ) -> LockstepEntity {
    var copy = entity
    copy.name = name
    copy.fields.removeAll { $0.destination != nil }
    for place in copy.fields.indices where !isTyped {
      copy.fields[place] = LockstepField(name: copy.fields[place].name)
    }
    for row in copy.records.indices {
      let record = copy.records[row]
      copy.records[row].cells = Dictionary(
        uniqueKeysWithValues: copy.fields.map { field in
          let cell = record[field.name]
          return (field.name, losesNull && cell == .value(.null) ? .missing : cell)
        }
      )
    }
    if !isTyped { copy.makeMixedColumnsText() }
    return copy
  }

  // MARK: Lookup

  private func isKnown(_ name: String, _ condition: LockstepCondition) -> Bool {
    guard let entity = now[name] else { return false }
    switch condition {
    case .tag, .tagsBelow: return true
    case .isMissing(let field), .isPresent(let field):
      return entity.fields.contains { $0.name == field }
    case .equals(let field, let type, _):
      return entity.fields.contains { $0.name == field && $0.type == type }
    }
  }

  private func tags(of name: String, _ target: LockstepTarget) -> [Int]? {
    guard let entity = now[name] else { return nil }
    switch target {
    case .record(let tag): return entity.records.contains { $0.tag == tag } ? [tag] : nil
    case .matching(let condition):
      return isKnown(name, condition) ? now.records(of: name, where: condition) : nil
    }
  }

  private func areKnown(_ assignments: [LockstepAssignment], in name: String) -> Bool {
    guard let entity = now[name] else { return false }
    return assignments.allSatisfy { assignment in
      guard entity.fields.contains(assignment.field) else { return false }
      guard case .links(let links) = assignment.cell else { return true }
      let there = assignment.field.destination.flatMap { now[$0]?.records.map(\.tag) } ?? []
      return links.allSatisfy(there.contains)
    }
  }

  private static func cells(_ assignments: [LockstepAssignment]) -> [String: LockstepCell] {
    Dictionary(
      assignments.map { assignment in
        let field = assignment.field
        // JSON's null cannot be written where a missing value would get the default.
        let isNothing = field.defaultValue != nil && !field.isRequired
        let isNull = assignment.cell == .value(.null)
        return (field.name, isNull && isNothing ? .missing : assignment.cell)
      }
    ) { _, last in last }
  }

  /// The values of a record a number of changes ago; nil if the model cannot tell.
  private func cells(of name: String, _ tag: Int, _ back: Int) -> [String: LockstepCell]? {
    guard let entity = now[name], entity.fields.allSatisfy({ $0.destination == nil }),
      entity.records.contains(where: { $0.tag == tag })
    else { return nil }
    var versions: [LockstepRecord] = []
    for (former, save) in zip(saves, saves.dropFirst()) {
      let before = former[name]?.records.first { $0.tag == tag }
      guard let record = save[name]?.records.first(where: { $0.tag == tag }) else {
        guard before == nil else { return nil }
        continue
      }
      guard save[name]?.fields == entity.fields else { return nil }
      let known = Set((former[name]?.fields ?? []).map(\.name))
      // The model does not know which field another one was.
      guard before == nil || known.isSubset(of: entity.fields.map(\.name)) else { return nil }
      let isNew = before.map { before in
        entity.fields.contains { field in
          // A save that only adds a field does not change its records.
          let added = field.defaultValue.map { LockstepCell.value($0) } ?? .missing
          return (known.contains(field.name) ? before[field.name] : added) != record[field.name]
        }
      }
      if isNew ?? true { versions.append(record) }
    }
    guard back < versions.count else { return nil }
    let version = versions[versions.count - 1 - back]
    return Dictionary(uniqueKeysWithValues: entity.fields.map { ($0.name, version[$0.name]) })
  }
}
