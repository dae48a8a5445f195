import OpenSwiftData

/// Searches the records of one entity for what breaks rules or looks wrong.
struct ProblemSearch {
  private let context: ModelContext
  private let entity: Schema.Entity
  /// The values that are read.
  private let attributes: [String]?
  /// True if conditions compare the identifier, which then is the last value.
  private let readsIdentifier: Bool
  private var tests: [RuleTest]
  private var columns: [DoubtfulColumn] = []
  private var rows: RepeatedKeys?
  private var equalRows: ProblemGroup

  /// Prepares a search for records that break the rules of their entity, or also look wrong.
  ///
  /// - Throws: The error of a store that cannot be read.
  init(
    of entity: Schema.Entity,
    breaking rules: [RecordRule],
    findsDoubts: Bool,
    in context: ModelContext
  ) throws {
    (self.context, self.entity) = (context, entity)
    let key = entity.identifierKey
    var names: Set<String>? = []
    for rule in rules { names = rule.fieldNames.flatMap { names?.union($0) } }
    readsIdentifier = names?.contains(key) ?? true
    let read = entity.fields.map(\.name).filter { names?.contains($0) ?? true || findsDoubts }
    attributes = read.isEmpty || read.count == entity.fields.count ? nil : read
    let layout = SnapshotLayout((attributes ?? entity.layout.names) + [key])
    tests = try rules.map { try RuleTest($0, layout, in: context) }
    equalRows = ProblemGroup("\(entity.name): equal records", isRule: false)
    guard findsDoubts else { return }
    columns = entity.fields.enumerated().filter { !$1.isBlob }.map {
      DoubtfulColumn($1.name, $0, of: entity.name)
    }
    rows = RepeatedKeys(Array(entity.fields.indices), ignoresMissing: false)
  }

  /// What was found: by rule, in their order, and what looks wrong.
  var groups: (rules: [ProblemGroup], doubts: [ProblemGroup]) {
    (tests.map(\.group), columns.flatMap(\.groups) + [equalRows])
  }

  /// Reads the records, a second time only if more than one of them must be compared.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n · m) in the records and the rules and fields. Keeps a hash value of each record for each
  ///   rule about unique values and for equal records, the records that links name, each once, and those that match a
  ///   condition about linked records.
  mutating func run() throws {
    try forEachRecord { search, values, record in
      for place in search.tests.indices { search.tests[place].test(values, record) }
      for place in search.columns.indices { search.columns[place].look(values, record) }
      search.rows?.note(values)
    }
    var isAgain = tests.contains(where: \.needsSecondReading) || rows?.mayRepeat ?? false
    for place in columns.indices where try columns[place].conclude(context) { isAgain = true }
    guard isAgain else { return }
    try forEachRecord { search, values, record in
      for place in search.tests.indices { search.tests[place].testAgain(values, record) }
      for place in search.columns.indices { search.columns[place].lookAgain(values, record) }
      if let earlier = search.rows?.earlier(values, record) {
        search.equalRows.add(record, nil, .null, "same values as record \(earlier)")
      }
    }
  }

  private mutating func forEachRecord(
    _ body: (inout ProblemSearch, [Value], PersistentIdentifier) -> Void
  ) throws {
    let work = tests.count + columns.count + 1
    var meter = WorkMeter()
    let layout = entity.layout
    try context.forEachSnapshot(matching: Query(entity.name, attributes: attributes)) { snapshot in
      try meter.count(work)
      let record = snapshot.persistentIdentifier
      var values =
        attributes == nil ? snapshot.arranged(as: layout).orderedValues : snapshot.orderedValues
      if readsIdentifier { values.append(.text(record.description)) }
      body(&self, values, record)
    }
  }
}
