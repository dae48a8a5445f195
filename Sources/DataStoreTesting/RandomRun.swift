import OpenSwiftData

/// Runs the same random operations on a store and on the reference.
///
/// Both assign their own identifiers, so the run maps one to the other. Each step has random numbers of its own, so
/// that a run can be repeated without some of its steps.
struct RandomRun {
  private let trial: ConformanceTrial
  private var store: any QueryableStore
  private let reference: ReferenceStore
  private let seed: UInt64
  private var random: SeededGenerator
  /// The number of the step, from 0.
  private var number = 0
  /// What each step did, in words.
  private(set) var script: [String] = []
  private var ours: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var deleted: [DefaultSnapshot] = []
  private var serial = 0

  init(_ trial: ConformanceTrial, seed: UInt64) throws {
    self.trial = trial
    store = try trial.makeStore()
    reference = try ReferenceStore(
      ReferenceStoreConfiguration(name: "oracle", schema: Fixture.schema)
    )
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  /// Runs a step; the same number does the same on equal records.
  mutating func step(_ number: Int) throws {
    self.number = number
    random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    switch random.below(100) {
    case 0..<60: try commit(randomChanges())
    case 60..<70 where trial.promises(.conflicts): try refuse()
    case 60..<99: try compareQuery()
    default:
      script.append("reopen")
      store = try trial.reopened(store)
    }
  }

  private var place: String { "seed \(seed), step \(number)" }

  /// Compares all records of all entities.
  func compareEverything() throws {
    for entity in Fixture.schema.entities {
      let sort = [SortKey(entity.fields[0].name)]
      let expected = try reference.snapshots(matching: Query(entity.name, sort: sort)).map(
        translated
      )
      let found = try store.snapshots(matching: Query(entity.name, sort: sort))
      trial.expectEqual(found, expected, "all records of \(entity.name), \(place)")
    }
  }

  // MARK: Commits

  private mutating func commit(_ changes: ChangeSet) throws {
    script.append(
      "commit \(changes.inserted.count) inserted, \(changes.updated.count) updated, "
        + "\(changes.deleted.count) deleted"
    )
    let expected = try reference.commit(changes, author: nil)
    let result = try store.commit(translated(changes), author: nil)
    for (temporary, permanent) in expected.remappedIdentifiers {
      ours[permanent] = result.remappedIdentifiers[temporary]
    }
    trial.expectEqual(
      result.remappedIdentifiers.count,
      expected.remappedIdentifiers.count,
      "the number of new identifiers, \(place)"
    )
    deleted += changes.deleted
  }

  private mutating func refuse() throws {
    var changes = try randomChanges()
    guard let victim = try reference.all().randomElement(using: &random) else { return }
    let stale = victim.with(["title": .text("stale \(serial)")])
    changes.updated.removeAll { $0.persistentIdentifier == victim.persistentIdentifier }
    changes.deleted.removeAll { $0.persistentIdentifier == victim.persistentIdentifier }
    if random.chance(50) {
      changes.updated.append(RecordUpdate(before: stale, after: victim))
    } else {
      changes.deleted.append(stale)
    }
    script.append("commit a stale record")
    try trial.expectRefusal(
      .conflict,
      of: "a stale record, \(place)",
      by: store
    ) { _ = try store.commit(translated(changes), author: nil) }
  }

  private mutating func randomChanges() throws -> ChangeSet {
    var changes = ChangeSet()
    var present = try reference.all().shuffled(using: &random)
    for _ in 0..<random.below(3) where present.count > 3 {
      changes.deleted.append(present.removeLast())
    }
    for _ in 0..<random.below(4) {
      let number = serial
      serial += 1
      var values = try randomValues()
      values["serial"] = .integer(Int64(number))
      changes.inserted.append(Fixture.new(Fixture.film, number + 1, values))
    }
    if random.chance(10), trial.promises(.permanentIdentifiers),
      let place = deleted.indices.randomElement(using: &random)
    {
      changes.inserted.append(deleted.remove(at: place))
    }
    if random.chance(20) {
      let name = Value.text("Person \(serial)")
      changes.inserted.append(Fixture.new(Fixture.person, serial + 1, ["name": name]))
      serial += 1
    }
    for _ in 0..<random.below(4) where !present.isEmpty {
      let before = present.removeLast()
      let values = try randomValues().filter { _ in random.chance(40) }
      changes.updated.append(RecordUpdate(before: before, after: before.with(values)))
    }
    return changes
  }

  private mutating func randomValues() throws -> [String: Value] {
    var values: [String: Value] = [:]
    for name in Fixture.pool.keys.sorted() {
      values[name] = trial.values(of: name).randomElement(using: &random)
    }
    let people = try reference.identifiers(matching: Query(Fixture.person))
    values["director"] = people.randomElement(using: &random).map { .link($0) } ?? .null
    values["cast"] = .links(people.shuffled(using: &random).suffix(random.below(3)))
    return values
  }

  // MARK: Queries

  private mutating func compareQuery() throws {
    let name = Fixture.pool.keys.sorted().randomElement(using: &random) ?? "title"
    let other = Fixture.pool.keys.sorted().randomElement(using: &random) ?? "title"
    var filter = Filter.all
    if let value = trial.values(of: name).randomElement(using: &random),
      let comparison = Filter.Comparison.allCases.randomElement(using: &random)
    {
      filter = random.chance(30) ? .not(.isNull(name)) : .compare(name, comparison, value)
    }
    let query = Query(
      Fixture.film,
      filter: filter,
      sort: [
        SortKey(other, isDescending: random.chance(50), nullsFirst: random.chance(50)),
        SortKey("serial", isDescending: random.chance(50)),
      ],
      limit: random.chance(50) ? random.below(30) : nil,
      offset: random.chance(30) ? random.below(20) : 0
    )
    script.append(query.sketch)
    let expected = try reference.snapshots(matching: query).map(translated)
    trial.expectEqual(
      try store.snapshots(matching: query),
      expected,
      "\(query.sketch), \(place)"
    )
    trial.expectEqual(
      try store.count(matching: query),
      expected.count,
      "count of \(query.sketch), \(place)"
    )
  }

  // MARK: Translation

  private func translated(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
    let identifier = snapshot.persistentIdentifier
    return snapshot.copy(
      persistentIdentifier: ours[identifier] ?? identifier,
      remappedIdentifiers: ours
    )
  }

  private func translated(_ changes: ChangeSet) -> ChangeSet {
    ChangeSet(
      inserted: changes.inserted.map(translated),
      updated: changes.updated.map {
        RecordUpdate(before: translated($0.before), after: translated($0.after))
      },
      deleted: changes.deleted.map(translated)
    )
  }
}
