import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData

/// Changes of many records, which a context packs, in all orders with everything else that it does.
@Suite struct PackedChangesTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func aContextWithPackedChangesEqualsItsOracle(seed: UInt64) throws {
    var run = try PackedRun(seed: seed, count: 400)
    for number in 0..<testRounds(60, withoutSeed: 20) {
      let operation = try run.step()
      try run.check("seed \(seed), operation \(number), \(operation)")
      if run.isWrong { return }
    }
    #expect(run.mostPacked > 200, "seed \(seed) packs many changes")
    try run.undoEverything()
  }

  /// So many changes are undone and redone in parts.
  @Test func aLongStepIsUndoneAndRedoneInParts() throws {
    var run = try PackedRun(seed: 1, count: 3 * UndoChanges.partSize)
    let start = run.oracle.live
    try run.set("year", .integer(7), in: run.identifiersOfAll)
    run.close()
    #expect(run.context.pending.packedCount == start.count)
    try run.undo()
    #expect(!run.context.hasChanges && run.oracle.live == start)
    try run.check("after undo")
    try run.redo()
    #expect(run.context.pending.packedCount == start.count, "a redone change is packed again")
    try run.check("after redo")
    try run.save()
    try run.undo()
    try run.check("after undo of what was saved")
    try run.delete(run.identifiersOfAll)
    run.close()
    #expect(run.context.pending.counts.deleted == start.count)
    try run.undo()
    try run.check("after undo of a deletion")
  }

  /// Computed values share neither the new value nor the old one.
  @Test func aLongStepOfDifferentValuesIsUndoneAndRedone() throws {
    var run = try PackedRun(seed: 6, count: 3 * UndoChanges.partSize)
    let start = run.oracle.live
    try run.set("year", in: run.identifiersOfAll) { .integer(-1 - $0) }
    run.close()
    #expect(run.context.pending.packedCount == start.count)
    #expect(
      run.context.undoLog.undoable.last?.changes.parts(isInverse: true).count { _ in true } == 3
    )
    try run.undo()
    #expect(!run.context.hasChanges && run.oracle.live == start)
    try run.redo()
    try run.check("after redo")
    try run.save()
    try run.undo()
    #expect(run.context.pending.packedCount == start.count)
    try run.check("after undo of what was saved")
  }

  /// Equal values can differ in ways that an undo keeps.
  @Test func theFormOfAValueIsKept() throws {
    var values = RepeatedValues()
    for number in [0.0, -0.0, 0.0] { values.append(.number(number)) }
    #expect(values.common == nil && values.count == 3)
    #expect(
      (0..<3).map { values[$0].text }
        == ["0.0", "-0.0", "0.0"].map { Value.number(Double($0) ?? 1).text }
    )
    var equal = RepeatedValues()
    for _ in 0..<3 { equal.append(.number(.nan)) }
    #expect(equal.common == .number(.nan))
  }

  /// Steps that are undone by discarding their changes leave those of other steps as they are.
  @Test func aLongStepBetweenOthersIsUndone() throws {
    var run = try PackedRun(seed: 3, count: 300)
    let all = run.identifiersOfAll
    for (values, some) in [(1, all[0..<3]), (2, all[100...]), (3, all[0..<2]), (4, all[...])] {
      try run.set("year", .integer(Int64(values)), in: Array(some))
      run.close()
    }
    for _ in 0..<4 {
      try run.undo()
      try run.check("after undo")
    }
    #expect(!run.context.hasChanges)
    for _ in 0..<4 {
      try run.redo()
      try run.check("after redo")
    }
    try run.undo()
    try run.check("after undo of what was redone")
  }

  /// Discarding a step and undoing that is not the same as undoing the step.
  @Test(arguments: [false, true], [false, true])
  func aStepThatWasDiscardedComesBack(isRedone: Bool, isDeletion: Bool) throws {
    var run = try PackedRun(seed: 4, count: 300)
    func begin() { run.context.beginUndoStep() }
    begin()
    if isDeletion {
      try run.delete(run.identifiersOfAll)
    } else {
      try run.set("year", .integer(7), in: run.identifiersOfAll)
    }
    run.close()
    #expect(run.context.pending.packedCount == 300)
    if isRedone {
      try run.undo()
      try run.redo()
    }
    begin()
    run.discard()
    begin()
    try run.undo()
    #expect(run.context.pending.count == 300)
    try run.check("after undo of discarding")
    try run.undo()
    try run.check("after undo of the step")
    #expect(!run.context.hasChanges)
  }

  /// New records that are still columns are undone and redone in parts.
  @Test func manyNewRecordsInColumnsAreUndoneAndRedone() throws {
    var run = try PackedRun(seed: 5, count: 10)
    try run.insert(3 * UndoChanges.partSize)
    run.close()
    #expect(run.context.pending.columns.count == 1, "nothing has read them")
    #expect(run.context.pendingCounts.inserted == 3 * UndoChanges.partSize)
    try run.undo()
    try run.check("after undo")
    try run.redo()
    try run.check("after redo")
    try run.save()
    try run.undo()
    try run.check("after undo of what was saved")
  }

  /// A step is not undone in part if some of its records are missing.
  @Test func aLongStepWithoutARecordChangesNothing() throws {
    var run = try PackedRun(seed: 2, count: 3 * UndoChanges.partSize)
    try run.set("year", .integer(7), in: run.identifiersOfAll)
    run.close()
    try run.save()
    let other = ModelContext(run.container)
    let doomed = try #require(run.identifiersOfAll.last)
    try other.delete([doomed])
    try other.save()
    #expect(throws: PersistenceError.self) { try run.context.undo() }
    #expect(!run.context.hasChanges)
    #expect(run.context.canUndo)
  }

  @Test func valuesAreReadAsTheyWerePacked() {
    var random = SeededGenerator(seed: 7)
    let scope = IdentifierScope(store: "s", entity: "E")
    func link() -> PersistentIdentifier {
      random.chance(50)
        ? scope.identifier(number: Int(truncatingIfNeeded: random.next()))
        : scope.identifier(uuid: UUID())
    }
    for _ in 0..<2000 {
      let number = Double(bitPattern: random.next())
      let values: [Value] = [
        .null, .boolean(random.chance(50)), .integer(Int64(truncatingIfNeeded: random.next())),
        .integer(Int64(random.below(300)) - 150), .number(number), .number(-0.0),
        .decimal(
          Decimal(Int64(truncatingIfNeeded: random.next())) / Decimal(random.below(9999) + 1)
        ),
        .decimal(Decimal(string: "-0.01") ?? 0), .text(""),
        .text(String(repeating: "ä\u{0}", count: random.below(200))),
        .date(CalendarDate(daysSince1970: Int32(truncatingIfNeeded: random.next()))),
        .datetime(Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000)) / 7)),
        .uuid(UUID()), .json("{\"a\":[1]}"), .link(link()),
        .links((0..<random.below(4)).map { _ in link() }),
      ].shuffled(using: &random)
      var packed = PackedValues()
      packed.append(values)
      let read = packed.bytes.withUnsafeBytes { bytes in
        var reader = PackedReader(bytes, at: 0)
        return reader.values(values.count)
      }
      #expect(read == values, "seed \(random.seed)")
    }
  }
}

/// Random changes of many records and of single ones, in a context and its oracle.
private struct PackedRun {
  static let entity = Schema.Entity(
    "Film",
    attributes: [
      .init("serial", .integer), .init("title", .text), .init("year", .integer),
      .init("seen", .boolean),
    ]
  )

  let container: ModelContainer
  let context: ModelContext
  var oracle = ContextOracle()
  var random: SeededGenerator
  var identifiers: [Int64: PersistentIdentifier] = [:]
  var isWrong = false
  var mostPacked = 0

  init(seed: UInt64, count: Int) throws {
    container = try ModelContainer(
      configurations: FlawedConfiguration(schema: Schema(Self.entity))
    )
    context = ModelContext(container)
    random = SeededGenerator(seed: seed)
    let records = (0..<count).map { serial -> [Value] in
      let title = Value.text(["a", "b", "a title that is longer than others"][serial % 3])
      return [
        .integer(Int64(serial)), title, serial % 4 == 0 ? .null : .integer(1), .boolean(false),
      ]
    }
    try context.insert(records, of: Self.entity)
    try context.save()
    context.rollback()
    for snapshot in try context.fetchSnapshots(matching: Query("Film")) {
      guard case .integer(let serial) = snapshot.orderedValues[0] else { continue }
      identifiers[serial] = snapshot.persistentIdentifier
      oracle.change(serial, to: snapshot.orderedValues)
    }
    oracle.save(token: nil)
    oracle.rollback()
  }

  /// The records that exist now, in order.
  var identifiersOfAll: [PersistentIdentifier] {
    oracle.live.keys.sorted().compactMap { identifiers[$0] }.map(context.resolve)
  }

  mutating func step() throws -> String {
    switch random.below(22) {
    case 20...: return try insertMany()
    case 0..<7: return try setMany()
    case 7..<9: return try setOne()
    case 9: return try deleteMany()
    case 10: close()
    case 11..<14: try undo()
    case 14..<16: try redo()
    case 16: try save()
    case 17:
      discard()
      return "discard"
    case 18 where random.chance(30):
      context.rollback()
      oracle.rollback()
      return "rollback"
    case 18:
      try context.abandonUndoStep()
      oracle.abandon()
      return "abandon"
    default: try save()
    }
    return "close, undo, redo or save"
  }

  // MARK: Operations

  /// Inserts records as columns, and does something else before anything reads them.
  private mutating func insertMany() throws -> String {
    try insert(random.chance(50) ? 300 : 1 + random.below(3))
    switch random.below(7) {
    case 0:
      close()
      try undo()
      try redo()
    case 1:
      close()
      try undo()
    case 2: try save()
    case 3: try insert(20)
    case 4:
      close()
      try insert(20)
      try undo()
    case 5:
      try context.abandonUndoStep()
      oracle.abandon()
    default: break
    }
    return "insert"
  }

  mutating func insert(_ count: Int) throws {
    let first = Int64(identifiers.count)
    var columns = try Self.entity.fields.map { try #require(PackedColumn($0.type.kind)) }
    for serial in first..<first + Int64(count) {
      let values: [Value] = [
        .integer(serial), .text("a title"), serial % 3 == 0 ? .null : .integer(serial),
        .boolean(serial % 2 == 0),
      ]
      for slot in columns.indices {
        let isAppended = columns[slot].append(values[slot])
        #expect(isAppended)
      }
      oracle.change(serial, to: values)
    }
    try context.insert(columns, of: Self.entity)
    let new = try #require(context.pending.columns.last)
    for place in 0..<count { identifiers[first + Int64(place)] = new.identifier(at: place) }
  }

  private mutating func setMany() throws -> String {
    let all = identifiersOfAll
    let start = random.chance(50) ? 0 : random.below(200)
    var some = Array(all.dropFirst(start))
    if random.chance(30) { some = some.filter { _ in random.chance(60) } }
    if random.chance(20) { some.shuffle(using: &random) }
    if random.chance(30) {
      let (modulus, step) = (Int64(2 + random.below(9)), Int64(random.below(5)))
      try set("year", in: some) { .integer($0 * step % modulus) }
      return "set different years of \(some.count)"
    }
    let choices: [(String, Value)] = [
      ("title", .text("a")), ("title", .text("z")), ("title", .null), ("year", .integer(1)),
      ("year", .integer(9)), ("seen", .boolean(true)), ("seen", .boolean(false)),
    ]
    let (name, value) = choices[random.below(choices.count)]
    try set(name, value, in: some)
    return "set \(name) of \(some.count)"
  }

  mutating func set(_ name: String, _ value: Value, in identifiers: [PersistentIdentifier]) throws {
    try set(name, in: identifiers) { _ in value }
  }

  /// Sets values that depend on the number of the record.
  mutating func set(
    _ name: String,
    in identifiers: [PersistentIdentifier],
    to value: (Int64) -> Value
  ) throws {
    let slot = try #require(Self.entity.layout.slot(of: name))
    for start in stride(from: 0, to: identifiers.count, by: 5000) {
      let batch = Array(identifiers[start..<min(start + 5000, identifiers.count)])
      try context.packingChanges {
        for state in try context.states(for: batch) {
          guard case .integer(let serial) = state.value(at: 0) else { continue }
          state.set(value(serial), at: slot)
          note(state.snapshot)
        }
      }
    }
    mostPacked = max(mostPacked, context.pending.packedCount)
  }

  private mutating func note(_ snapshot: DefaultSnapshot) {
    guard case .integer(let serial) = snapshot.orderedValues[0] else { return }
    oracle.change(serial, to: snapshot.orderedValues)
  }

  private mutating func setOne() throws -> String {
    guard let identifier = identifiersOfAll.randomElement(using: &random),
      let record = try context.records(for: [identifier]).first
    else { return "nothing" }
    try record.set(.text("b"), for: "title")
    note(record.snapshot)
    let again = try context.records(for: [identifier]).first
    #expect(again?.persistentState === record.persistentState, "one state for each record")
    return "set one"
  }

  private mutating func deleteMany() throws -> String {
    let some = identifiersOfAll.filter { _ in random.chance(40) }
    try delete(some)
    return "delete \(some.count)"
  }

  mutating func delete(_ identifiers: [PersistentIdentifier]) throws {
    let doomed = Set(identifiers)
    try context.delete(identifiers)
    for (serial, identifier) in self.identifiers where doomed.contains(context.resolve(identifier))
    {
      oracle.change(serial, to: nil)
    }
    mostPacked = max(mostPacked, context.pending.packedCount)
  }

  mutating func close() {
    context.closeUndoStep(named: "step")
    oracle.close()
  }

  mutating func undo() throws {
    #expect(try (context.undo() != nil) == oracle.canUndo)
    oracle.undo()
  }

  mutating func discard() {
    context.discardChanges()
    oracle.discard()
  }

  mutating func redo() throws {
    #expect(try (context.redo() != nil) == oracle.canRedo)
    oracle.redo()
  }

  mutating func save() throws {
    // A save without changes leaves an open step open.
    close()
    try context.save()
    oracle.save(token: nil)
  }

  // MARK: Checks

  mutating func check(_ what: String) throws {
    context.checkInvariants()
    let changes = context.pendingChanges
    let counts = context.pendingCounts
    let all = try context.fetchSnapshots(matching: Query("Film"))
    let live = contents(all)
    isWrong = live != oracle.live || contents(changes) != difference()
    #expect(live == oracle.live, "\(what)")
    #expect(contents(changes) == difference(), "\(what)")
    #expect(counts.updated == changes.updated.count && counts.deleted == changes.deleted.count)
    #expect(counts.inserted == changes.inserted.count, "\(what)")
    #expect(
      context.pendingInsertsAndDeletes.deleted.map(\.persistentIdentifier)
        == changes.deleted.map(\.persistentIdentifier),
      "\(what)"
    )
    #expect(context.pendingInsertsAndDeletes.inserted == changes.inserted, "\(what)")
    for update in changes.updated { #expect(update.changedSlots.isEmpty == false, "\(what)") }
    let filters: [Filter] = [
      .all, .compare("title", .equal, .text("z")), .isNull("year"),
      .compare("year", .greater, .integer(1)), .compare("seen", .equal, .boolean(true)),
      .compare("year", .equal, .number(1)), .or([.isNull("year"), .isIn("year", [.integer(9)])]),
      .and([.compare("title", .equal, .text("a")), .compare("year", .equal, .integer(7))]),
    ]
    let keys = ["title", "year", "seen"].map { SortKey($0, isDescending: random.chance(50)) }
    let query = Query(
      "Film",
      filter: filters[random.below(filters.count)],
      sort: Array(keys.shuffled(using: &random).prefix(random.below(3)))
    )
    let expected = try query.run(over: all, of: Self.entity)
    var read: [DefaultSnapshot] = []
    try context.forEachSnapshot(matching: query) { read.append($0) }
    isWrong = isWrong || read != expected
    #expect(read == expected, "\(query) \(what)")
    #expect(try context.fetchCount(matching: query) == expected.count, "\(query) \(what)")
    let listing = try context.listing(matching: query)
    #expect(try listing.identifiers(in: 0..<expected.count) == expected.map(\.persistentIdentifier))
    #expect(
      try listing.records(in: 0..<expected.count, attributes: nil).map(\.snapshot) == expected
    )
  }

  private func contents(_ snapshots: [DefaultSnapshot]) -> ContextOracle.Contents {
    var contents: ContextOracle.Contents = [:]
    for snapshot in snapshots {
      if case .integer(let serial) = snapshot.orderedValues[0] {
        contents[serial] = snapshot.orderedValues
      }
    }
    return contents
  }

  /// The values before and after each change; an empty list where there is no record.
  private func contents(_ changes: ChangeSet) -> [Int64: [[Value]]] {
    var result: [Int64: [[Value]]] = [:]
    for (serial, values) in contents(changes.inserted) { result[serial] = [[], values] }
    for (serial, values) in contents(changes.deleted) { result[serial] = [values, []] }
    let after = contents(changes.updated.map(\.after))
    for (serial, values) in contents(changes.updated.map(\.before)) {
      result[serial] = [values, after[serial] ?? []]
    }
    return result
  }

  private func difference() -> [Int64: [[Value]]] {
    var result: [Int64: [[Value]]] = [:]
    for serial in Set(oracle.live.keys).union(oracle.stored.keys)
    where oracle.live[serial] != oracle.stored[serial] {
      result[serial] = [oracle.stored[serial] ?? [], oracle.live[serial] ?? []]
    }
    return result
  }

  mutating func undoEverything() throws {
    while context.canUndo { try undo() }
    try check("after undoing everything, seed \(random.seed)")
    while context.canRedo { try redo() }
    try check("after redoing everything, seed \(random.seed)")
    try save()
    try check("after saving everything, seed \(random.seed)")
  }
}
