import OpenSwiftData

/// What was changed since a list was queried.
///
/// Some records may not match its filter any more, or have another place in its order. They stay where they are until
/// filter and sort are applied again. Undoing these changes makes the list right again. An edit is known by the number
/// of the steps that could be undone after it.
struct ListEdits: Sendable {
  /// True if records were changed.
  private(set) var isChanged = false
  /// The number of undoable steps when the list was queried, and now.
  private var steps: (queried: Int, now: Int)
  /// The number after the first edit of values that the list depends on; nil if there was none.
  private var firstEdit: Int?
  /// True if an edit before the query on which the list depends was undone and replaced with another one.
  private var hasLostSteps = false
  /// The fields that the steps have changed, by their numbers; all others may have changed anything.
  private var changedFields: [Int: Set<String>] = [:]

  init(undoableSteps: Int = 0) { steps = (undoableSteps, undoableSteps) }

  /// True if the list would differ if it was queried again.
  func isOutdated(_ listDepends: (String) -> Bool) -> Bool {
    hasLostSteps || hasUndone(listDepends) || firstEdit.map { steps.now >= $0 } ?? false
  }

  /// True if an edit before the query on which the list depends is undone.
  private func hasUndone(_ listDepends: (String) -> Bool) -> Bool {
    guard steps.now < steps.queried else { return false }
    return (steps.now + 1...steps.queried).contains { step in
      changedFields[step]?.contains(where: listDepends) ?? true
    }
  }

  /// Notes that the list was queried.
  mutating func noteQuery(undoableSteps: Int) {
    let known = undoableSteps == steps.now ? changedFields : [:]
    self = ListEdits(undoableSteps: undoableSteps)
    changedFields = known
  }

  /// Notes an undo or a redo.
  mutating func noteUndo(undoableSteps: Int) {
    isChanged = true
    steps.now = undoableSteps
  }

  /// Notes an edit of some fields; nil if it may have changed anything.
  mutating func noteEdit(
    of fields: Set<String>?,
    affectsList: Bool,
    undoableSteps: Int,
    _ listDepends: (String) -> Bool
  ) {
    isChanged = true
    if hasUndone(listDepends) { hasLostSteps = true }
    // Otherwise the steps have other numbers now.
    let isNext = undoableSteps == steps.now + 1
    changedFields = isNext ? changedFields.filter { $0.key < undoableSteps } : [:]
    changedFields[undoableSteps] = isNext ? fields : nil
    steps.now = undoableSteps
    // The edits from this number on were undone before.
    if let first = firstEdit, first >= undoableSteps { firstEdit = nil }
    if affectsList { firstEdit = firstEdit ?? undoableSteps }
  }
}

extension TableState {
  /// True if the filter, the sort or the groups depend on a field of the entity.
  func listDepends(on field: String) -> Bool {
    guard let names = usedNames else { return true }
    // A path, or the field that it begins with.
    return names.contains { $0.hasPrefix(field) || field.hasPrefix($0) }
  }

  /// True if the filter, the sort or the groups may follow links to records of other entities.
  var listFollowsLinks: Bool {
    guard let names = usedNames else { return true }
    return names.contains { entity?.fieldsByName[$0]?.type.destination != nil || $0.contains(".") }
  }

  /// The fields and paths that the filter, the sort and the groups use; nil if any.
  private var usedNames: Set<String>? {
    filter.filter.attributeNames?.union(sort.map(\.attribute) + (group.map { [$0] } ?? []))
  }

  /// What applies filter, sort and groups again after edits: `sorts again`; nil if the list is as it would be queried.
  var outdatedText: String? {
    guard edits.isOutdated(listDepends) else { return nil }
    switch (filter.isActive, !sort.isEmpty, group != nil) {
    case (false, false, false): return nil
    case (true, false, false): return "filters again"
    case (false, true, false): return "sorts again"
    case (false, false, true): return "groups again"
    default: return "applies them again"
    }
  }
}

extension CommandReport {
  /// Tells a table what the instruction may have changed.
  func note(in table: inout TableState) {
    if case .failed = answer { return }
    guard let instruction = request?.instruction.value, !(instruction is Save),
      type(of: instruction).command.changesData
    else { return }
    let steps = status.undoableSteps
    if instruction is Undo || instruction is Redo {
      table.edits.noteUndo(undoableSteps: steps)
    } else {
      let affects = instruction.affectsList(of: table)
      let set = instruction as? SetValues
      let isOfList = set?.changes(table.entity) ?? false
      let fields = isOfList ? set.map { Set($0.assignments.map(\.field)) } : nil
      let depends = table.listDepends
      table.edits.noteEdit(of: fields, affectsList: affects, undoableSteps: steps, depends)
    }
  }
}

extension Instruction {
  /// True if the list may differ afterwards.
  fileprivate func affectsList(of table: TableState) -> Bool {
    switch self {
    case let set as SetValues where set.changes(table.entity):
      set.assignments.contains { table.listDepends(on: $0.field) }
    case is SetValues: table.listFollowsLinks
    case let insert as InsertRecord:
      insert.entityName == table.entity?.name || table.listFollowsLinks
    // Deleted records stay in the list until the deletion is saved.
    case is DeleteRecords: false
    default: true
    }
  }
}

extension SetValues {
  /// True if it changes records of an entity.
  fileprivate func changes(_ entity: Schema.Entity?) -> Bool {
    switch target {
    case .records(let records): records.first?.entityName == entity?.name
    case .query(let query): query.entityName == entity?.name
    case .selection: true
    }
  }
}
