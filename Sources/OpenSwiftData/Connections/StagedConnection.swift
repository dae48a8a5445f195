/// A connection that holds unsaved schema changes until the next save of the context.
///
/// Reads use a view of the store after the changes; without changes, all requests are forwarded.
final class StagedConnection: ForwardingConnection {
  /// An unsaved schema change: the step of an edit, or its inverse.
  struct Staged {
    let edit: SchemaEdit
    let isInverse: Bool
    /// What a field that the step drops contained when it was staged; nil for other steps.
    var dropped: FieldContents?
    var step: SchemaStep { isInverse ? edit.inverse : edit.step }
  }

  var base: any StoreConnection
  private(set) var staged: [Staged] = []
  private var known: StagedRecords?
  private var seen: (base: Schema, view: Schema)?
  /// The content of the store before the unsaved changes, of which the links were right; nil if it is not known.
  private var linkStamp: [Int64]?

  init(_ base: any StoreConnection) {
    self.base = base
    linkStamp = base.stagingStore?.contentStamp
  }

  /// The new records that others may have added before the next save.
  var sought: [SoughtRecords] = []
  /// The fields on which the changes of the next save rest.
  var read: [RecordFields] = []
  /// The records that links of the next save name.
  var linked = LinkedRecords()

  /// Makes the next save check all links, because some changes from before the last save were left out of it.
  func forgetLinkStamp() { linkStamp = nil }

  /// The unsaved schema steps, oldest first.
  var steps: [SchemaStep] { staged.map(\.step) }
  /// True when the store supports unsaved schema changes.
  var canStage: Bool { base.stagingStore != nil }

  var isUnwritten: Bool { base.isUnwritten }
  var stagingStore: (any StagingStore)? { base.stagingStore }

  var schema: Schema {
    let schema = base.schema
    if staged.isEmpty { return schema }
    if let seen, seen.base === schema { return seen.view }
    let view = SchemaStep.possibleReplacement(steps, from: schema).0.schema
    seen = (schema, view)
    return view
  }

  /// True when the change is the last unsaved one.
  func isLast(_ edit: SchemaEdit, isInverse: Bool) -> Bool {
    staged.last.map { $0.edit === edit && $0.isInverse == isInverse } ?? false
  }

  /// Adds an unsaved change, or removes the one that it undoes.
  ///
  /// - Returns: True when it removed an unsaved change.
  /// - Throws: `PersistenceError` when the change is not possible; nothing is changed then.
  func stage(_ edit: SchemaEdit, isInverse: Bool) throws -> Bool {
    if isLast(edit, isInverse: !isInverse) {
      staged.removeLast()
      (known, seen) = (nil, nil)
      return true
    }
    guard let store = stagingStore else {
      throw PersistenceError(
        .unsupported,
        "store \(identifier): cannot keep schema changes unsaved"
      )
    }
    var new = Staged(edit: edit, isInverse: isInverse)
    // Errors are thrown now; later changes of other programs are conflicts.
    _ = try new.step.replacement(from: schema)
    try store.check(steps + [new.step])
    new.dropped = try contents(droppedBy: new.step, after: steps, in: store)
    staged.append(new)
    (known, seen) = (nil, nil)
    return false
  }

  /// Returns to former unsaved changes, because the last one could not be completed.
  func restore(_ former: [Staged]) {
    staged = former
    (known, seen) = (nil, nil)
  }

  /// Discards all unsaved schema changes.
  func unstage() {
    staged = []
    (known, seen) = (nil, nil)
  }

  /// The current records, as this connection reads them.
  func records() throws -> (any RecordReading)? {
    guard let store = stagingStore else { return nil }
    let current = try store.staged(steps, known: known)
    if !staged.isEmpty { known = current }
    return current.records
  }

  private func view() throws -> (any RecordReading)? { staged.isEmpty ? nil : try records() }

  // MARK: Reading

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try view()?.identifiers(matching: query) ?? base.identifiers(matching: query)
  }

  func listing(matching query: Query) throws -> any Listing {
    guard let view = try view() else { return try base.listing(matching: query) }
    return try view.listing(matching: query) ?? identifierListing(matching: query)
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    guard let view = try view() else {
      return try base.valueCounts(of: attribute, matching: query)
    }
    return try view.snapshots(matching: query.countingValues(of: attribute)).firstValueCounts
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    guard let view = try view() else {
      return try base.summary(of: attribute, matching: query)
    }
    var summary = ValueSummary()
    let query = Query(query.entityName, filter: query.filter, attributes: [attribute])
    try view.forEachPage(matching: query) { try summary.add($0, attribute) }
    return summary
  }

  func count(matching query: Query) throws -> Int {
    try view()?.count(matching: query) ?? base.count(matching: query)
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try view()?.snapshots(matching: query) ?? base.snapshots(matching: query)
  }

  func snapshots<T: PersistentModel>(
    matching query: Query,
    of descriptor: FetchDescriptor<T>,
    related: inout [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    try view()?.snapshots(matching: query)
      ?? base.snapshots(matching: query, of: descriptor, related: &related)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try view()?.snapshots(for: identifiers, attributes: attributes)
      ?? base.snapshots(for: identifiers, attributes: attributes)
  }

  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    guard let view = try view() else { return try base.snapshot(of: identifier) }
    return try view.snapshots(for: [identifier], attributes: nil)[identifier]
  }

  func fewSnapshots(of entityName: String, where attribute: String, equals value: Value) throws
    -> [DefaultSnapshot]?
  {
    staged.isEmpty
      ? try base.fewSnapshots(of: entityName, where: attribute, equals: value) : nil
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    guard let view = try view() else { return try base.forEachPage(matching: query, body) }
    try view.forEachPage(matching: query, body)
  }

  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    try view()?.page(for: identifiers, attributes: attributes)
      ?? base.page(for: identifiers, attributes: attributes)
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    if let view = try view() {
      return view.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    }
    return try base.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  // MARK: Saving

  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    let store = stagingStore
    let checksLinks = checksLinks(of: changes)
    let keys = SoughtKeys(sought, in: changes, schema)
    let values = ReadValues(read)
    defer { (sought, read, linked) = ([], [], LinkedRecords()) }
    if staged.isEmpty, !changes.isEmpty || !isUnwritten, !checksLinks,
      keys.isEmpty && values.isEmpty || store == nil
    {
      return try base.commit(changes, state: state)
    }
    guard let store else { return CommitResult() }
    let result = try commit(changes, to: store, state, checksLinks: checksLinks, keys, values)
    unstage()
    linkStamp = store.contentStamp
    return result
  }

  /// Commits new records in columns; nil, with nothing saved, if they have to be committed as a change set.
  func commit(_ records: NewRecords, state: EditingState) throws -> CommitResult? {
    // They have no links. A step together with links has more to check.
    guard let store = stagingStore, store.takesColumns,
      staged.isEmpty || !LinkCheck.isNeeded(for: schema)
    else { return nil }
    let result = try store.commit(
      CommitRequest(.columns(records), after: steps, author: state.author, message: state.message) {
        [self] in
        try checkDroppedFields($0, store.stampsTellContents)
      }
    )
    if result != nil, !staged.isEmpty {
      unstage()
      linkStamp = store.contentStamp
    }
    return result
  }

  /// Finds out whether the store would accept a commit.
  ///
  /// - Precondition: The store can rehearse.
  func rehearse(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    guard let store = stagingStore else { return CommitResult() }
    let checksLinks = checksLinks(of: changes)
    return try commit(changes, to: store, state, checksLinks: checksLinks, isRehearsal: true)
  }

  private func checksLinks(of changes: ChangeSet) -> Bool {
    !changes.isEmpty && stagingStore != nil && LinkCheck.isNeeded(for: schema)
  }

  /// The number of times that other programs may save links to deleted records during one save.
  private static let mostRounds = 8

  /// Commits to the store, and clears links to deleted records that other programs have saved meanwhile.
  private func commit(
    _ changes: ChangeSet,
    to store: any StagingStore,
    _ state: EditingState,
    checksLinks: Bool,
    _ keys: SoughtKeys? = nil,
    _ values: ReadValues? = nil,
    isRehearsal: Bool = false
  ) throws -> CommitResult {
    var changes = changes
    var effects = SideEffects()
    var rounds = 0
    // Not in the check, which runs under the lock of the store.
    let schema = schema
    while true {
      var late: [LinkCheck.Late] = []
      let known = changes
      var request = CommitRequest(
        .changes(known),
        after: steps,
        author: state.author,
        message: state.message
      )
      request.isRehearsal = isRehearsal
      do {
        request.check = { [self] reading in
          try checkDroppedFields(reading, store.stampsTellContents)
          // The store is unchanged since the links, the keys of new records and other values were read.
          if reading.contentStamp == linkStamp { return }
          try values?.check(known, reading, steps)
          if let taken = try keys?.taken(reading, steps), !taken.isEmpty {
            throw TakenKeys(records: taken).error
          }
          guard checksLinks else { return }
          let check = LinkCheck(
            schema: schema,
            changes: known,
            steps: steps,
            linked: linked,
            isEnforced: store.enforcesLinks
          )
          late = try check.lateLinks(reading)
          if !late.isEmpty { throw LinkCheck.changedLinks }
        }
        var result = try store.commit(request) ?? CommitResult()
        if effects.isByRules {
          result.sideEffects = effects
          let further = Set(effects.furtherUpdates.map(\.persistentIdentifier))
          result.reregistered += changes.updated.map(\.after)
            .filter { further.contains($0.persistentIdentifier) }
        }
        return result
      } catch {
        guard !late.isEmpty, rounds < Self.mostRounds else { throw error }
        rounds += 1
        changes.clear(late, &effects)
      }
    }
  }

  /// Checks that no other program has changed the values of a field since its removal was staged.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` if one has, or the error of the store.
  private func checkDroppedFields(_ reading: StagedReading, _ stampsTellContents: Bool) throws {
    for (place, step) in staged.enumerated() {
      let entity = step.step.entityName
      guard let former = step.dropped, let name = step.step.droppedField,
        former.stamp != reading.stamp || !stampsTellContents
      else { continue }
      let before = Array(steps.prefix(place))
      var contents = FieldContents(stamp: reading.stamp)
      try reading.forEachPage(Query(entity, attributes: [name]), before) {
        try contents.add($0, name)
      }
      if contents == former { continue }
      let stored = before.reversed().reduce(name) { name, step in
        if case .renameAttribute(entity, let from, name) = step { from } else { name }
      }
      throw PersistenceError(
        .conflict,
        "\(entity).\(stored): another program has changed its values since the change of the field; "
          + "undo that change, and repeat it",
        cause: ValuesWithoutPlace()
      )
    }
  }

  /// What the field that a step drops contains after other steps; nil for other steps.
  private func contents(
    droppedBy step: SchemaStep,
    after steps: [SchemaStep],
    in store: any StagingStore
  ) throws -> FieldContents? {
    guard let name = step.droppedField else { return nil }
    let records = try store.staged(steps, known: nil).records
    var contents = FieldContents(stamp: try store.staged([], known: nil).stamp)
    try records.forEachPage(matching: Query(step.entityName, attributes: [name])) {
      try contents.add($0, name)
    }
    return contents
  }
}

/// Tells whether the values of a field have changed, without the values.
struct FieldContents: Equatable {
  /// The state of the store.
  let stamp: [Int64]
  private var digest = 0

  init(stamp: [Int64]) { self.stamp = stamp }

  /// Adds the values of the field in a page, in any order.
  ///
  /// - Throws: `Interruption.Stopped`.
  mutating func add(_ page: any RecordPage, _ name: String) throws {
    try Interruption.check()
    guard let slot = page.layout.slot(of: name) else { return }
    for (place, value) in page.values(slot: slot).enumerated() where !value.isNull {
      var hasher = Hasher()
      hasher.combine(page.identifier(at: place))
      hasher.combine(value)
      digest &+= hasher.finalize()
    }
  }

  static func == (left: FieldContents, right: FieldContents) -> Bool { left.digest == right.digest }
}

/// The cause of a conflict that has no side to keep: fields or linked records are gone, or values of a field that is
/// dropped are new.
struct ValuesWithoutPlace: Error {}
