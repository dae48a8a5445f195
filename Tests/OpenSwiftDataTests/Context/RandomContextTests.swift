import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@Suite struct RandomContextTests {
  /// `SEEDS=` sets the number of runs; `DRAWS=` the unused random numbers that each operation draws, which gives
  /// other operations.
  static let seeds = Array(1...UInt64(number("SEEDS") ?? 4))

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: seeds)
  func aContextEqualsItsOracle(seed: UInt64) throws {
    var run = try ContextRun(seed: seed)
    for number in 0..<testRounds(500) {
      for _ in 0..<(Self.number("DRAWS") ?? 0) { _ = run.random.next() }
      let operation = try run.step()
      try run.check("seed \(seed), operation \(number), \(operation)")
      run.context.checkInvariants()
      if run.isWrong { return }
    }
    try run.undoEverything()
  }

  @Test func aRecordThatComesBackForgetsDeletedRecords() throws {
    let run = try ContextRun(seed: 1)
    let (first, second) = (Record(entity: ContextRun.entity), Record(entity: ContextRun.entity))
    run.context.insert(first)
    run.context.insert(second)
    try first.set(.link(second.persistentModelID), for: "sequel")
    try first.set(.links([second.persistentModelID]), for: "similar")
    run.context.delete(first)
    run.context.delete(second)
    run.context.insert(first)
    #expect(first[attribute: "sequel"] == .null)
    #expect(first[attribute: "similar"] == .null)
    try run.context.save()
    #expect(try run.store.identifiers(matching: Query("Film")).count == 1)
  }
}

/// Random operations on a context and on its oracle.
private struct ContextRun {
  static let entity = Schema.Entity(
    "Film",
    attributes: [
      .init("serial", .integer), .init("title", .text), .init("year", .integer),
      .init("seen", .boolean), .init("sequel", .link("Film")), .init("similar", .links("Film")),
    ]
  )

  let store: FlawedStore
  let context: ModelContext
  var oracle = ContextOracle()
  var random: SeededGenerator
  var held: [Record] = []
  var serials: [PersistentIdentifier: Int64] = [:]
  var identifiers: [Int64: PersistentIdentifier] = [:]
  var nextSerial: Int64 = 1
  var isWrong = false

  init(seed: UInt64) throws {
    let container = try ModelContainer(
      configurations: FlawedConfiguration(schema: Schema(Self.entity))
    )
    store = try #require(container.stores.first as? FlawedStore)
    context = ModelContext(container)
    random = SeededGenerator(seed: seed)
  }

  mutating func step() throws -> String {
    switch random.below(100) {
    case 0..<18: try insert()
    case 18..<50: try setSomething()
    case 50..<58: delete()
    case 58..<61: insertAgain()
    case 61..<68: close()
    case 68..<80: try undo()
    case 80..<87: try redo()
    case 87..<91: try save()
    case 91..<93: failToSave()
    case 93..<95: discard()
    case 95..<97: letGo()
    case 97..<99: try revert()
    default: rollback()
    }
  }

  // MARK: Operations

  private mutating func insert() throws -> String {
    for _ in 0...random.below(3) {
      let record = Record(entity: Self.entity)
      let serial = nextSerial
      nextSerial += 1
      try record.set(.integer(serial), for: "serial")
      try record.set(.text(["a", "b", "c"][random.below(3)]), for: "title")
      context.insert(record)
      serials[record.persistentModelID] = serial
      identifiers[serial] = record.persistentModelID
      oracle.change(serial, to: canonical(record.snapshot))
      if random.chance(50) { held.append(record) }
    }
    return "insert"
  }

  private mutating func setSomething() throws -> String {
    guard let record = try someRecord() else { return "nothing" }
    let others = oracle.live.keys.sorted().compactMap { identifiers[$0] }.map(context.resolve)
    let values: [String: [Value]] = [
      "title": [.null, .text("a"), .text("b"), .text("z")],
      "year": [.null, .integer(1), .integer(2), .integer(3)],
      "seen": [.null, .boolean(true), .boolean(false)],
      "sequel": [.null] + others.prefix(5).map { .link($0) } + others.suffix(5).map { .link($0) },
      "similar": [.null, .links([]), .links(Array(others.suffix(3)))],
    ]
    let name = values.keys.sorted()[random.below(values.count)]
    let choices = values[name] ?? []
    try record.set(choices[random.below(choices.count)], for: name)
    oracle.change(serial(of: record), to: canonical(record.snapshot))
    return "set \(name)"
  }

  private mutating func delete() -> String {
    for _ in 0...random.below(2) {
      // The check after each operation finds a record that cannot be read.
      guard let record = try? someRecord() else { continue }
      context.delete(record)
      if oracle.live[serial(of: record)] != nil { forgetLinks(to: serial(of: record)) }
      oracle.change(serial(of: record), to: nil)
    }
    return "delete"
  }

  /// Removes the links to a record from all others, as its deletion does.
  private mutating func forgetLinks(to serial: Int64) {
    for (other, values) in oracle.live where other != serial {
      let cleared = values.map { value -> Value in
        guard case .text(let text) = value else { return value }
        if text == "link \(serial)" { return .null }
        guard text.hasPrefix("links [") else { return value }
        let links = text.dropFirst(7).dropLast().split(separator: ", ").compactMap { Int64($0) }
        guard links.contains(serial) else { return value }
        let kept = links.filter { $0 != serial }
        // A field without links has no value, as if the user had cleared it.
        return kept.isEmpty ? .null : .text("links \(kept)")
      }
      oracle.change(other, to: cleared)
    }
  }

  private mutating func insertAgain() -> String {
    let gone = held.filter { $0.isDeleted && $0.modelContext === context }
    guard let record = gone.randomElement(using: &random) else { return "nothing" }
    context.insert(record)
    oracle.change(serial(of: record), to: canonical(record.snapshot))
    return "insert again"
  }

  private mutating func close() -> String {
    context.closeUndoStep(named: "step")
    oracle.close()
    return "close"
  }

  private mutating func undo() throws -> String {
    #expect(context.canUndo == oracle.canUndo)
    #expect(try (context.undo() != nil) == oracle.canUndo)
    oracle.undo()
    return "undo"
  }

  private mutating func redo() throws -> String {
    #expect(context.canRedo == oracle.canRedo)
    #expect(try (context.redo() != nil) == oracle.canRedo)
    oracle.redo()
    return "redo"
  }

  private mutating func save() throws -> String {
    let (_, remapped) = try context.saveReporting()
    for (temporary, permanent) in remapped { serials[permanent] = serials[temporary] }
    oracle.save(token: try context.transactions().last?.token)
    return "save"
  }

  private mutating func failToSave() -> String {
    guard context.hasChanges else { return "nothing" }
    store.failNext()
    #expect(throws: PersistenceError.self) { try context.save() }
    oracle.close()
    return "fail to save"
  }

  private mutating func discard() -> String {
    context.discardChanges()
    oracle.discard()
    return "discard"
  }

  private mutating func rollback() -> String {
    context.rollback()
    oracle.rollback()
    return "rollback"
  }

  private mutating func letGo() -> String {
    held.removeAll { _ in random.chance(50) }
    return "let go"
  }

  private mutating func revert() throws -> String {
    guard let token = oracle.history.keys.sorted().randomElement(using: &random),
      let serial = identifiers.keys.sorted().randomElement(using: &random),
      let identifier = identifiers[serial].map(context.resolve)
    else { return "nothing" }
    guard let values = oracle.history[token]?[serial] else {
      #expect(throws: PersistenceError.self) { try context.revert(identifier, to: token) }
      return "revert to nothing"
    }
    try context.revert(identifier, to: token)
    oracle.change(serial, to: values)
    return "revert \(serial) to \(token)"
  }

  // MARK: Checks

  mutating func check(_ what: String) throws {
    let all = try context.fetchSnapshots(matching: Query("Film"))
    let found = Dictionary(
      all.map { (serials[$0.persistentIdentifier] ?? -1, canonical($0)) },
      uniquingKeysWith: { first, _ in first }
    )
    isWrong = isWrong || found != oracle.live || all.count != found.count
    #expect(found == oracle.live, "\(what)")
    #expect(all.count == found.count, "a record is there twice: \(what)")
    try checkPending(what)
    try checkOrder(of: all, what)
    try checkQuery(over: all, what)
    try checkHeld(what)
  }

  private mutating func checkPending(_ what: String) throws {
    let changes = context.pendingChanges
    let (live, stored) = (oracle.live, oracle.stored)
    isWrong = isWrong || context.hasChanges != (live != stored)
    #expect(context.hasChanges == (live != stored), "\(what)")
    let inserted = Set(changes.inserted.compactMap { serials[$0.persistentIdentifier] })
    let updated = Set(changes.updated.compactMap { serials[$0.persistentIdentifier] })
    let deleted = Set(changes.deleted.compactMap { serials[$0.persistentIdentifier] })
    #expect(inserted == Set(live.keys).subtracting(stored.keys), "\(what)")
    #expect(deleted == Set(stored.keys).subtracting(live.keys), "\(what)")
    #expect(updated == Set(live.keys.filter { stored[$0] != nil && stored[$0] != live[$0] }))
    for update in changes.updated { #expect(update.before != update.after, "\(what)") }
  }

  /// Stored records are in the order of the store; new ones come last.
  private func checkOrder(of all: [DefaultSnapshot], _ what: String) throws {
    let stored = try store.identifiers(matching: Query("Film"))
    let present = Set(all.map(\.persistentIdentifier))
    let expected = stored.filter(present.contains)
    #expect(all.prefix(expected.count).map(\.persistentIdentifier) == expected, "\(what)")
  }

  private mutating func checkQuery(over all: [DefaultSnapshot], _ what: String) throws {
    let filters: [Filter] = [
      .all, .compare("title", .equal, .text("a")), .isNull("year"),
      .compare("year", .greater, .integer(1)), .text("title", TextMatch(.contains, "B")),
    ]
    let keys = ["title", "year", "seen"].map {
      SortKey($0, isDescending: random.chance(50), nullsFirst: random.chance(50))
    }
    let query = Query(
      "Film",
      filter: filters[random.below(filters.count)],
      sort: Array(keys.shuffled(using: &random).prefix(random.below(3))),
      limit: random.chance(30) ? random.below(12) : nil,
      offset: random.chance(30) ? random.below(8) : 0
    )
    let expected = try query.run(over: all, of: Self.entity)
    let found = try context.fetchSnapshots(matching: query)
    isWrong = isWrong || found != expected
    #expect(
      found.map { serials[$0.persistentIdentifier] }
        == expected.map { serials[$0.persistentIdentifier] },
      "\(query) \(what)"
    )
    #expect(try context.fetchCount(matching: query) == expected.count, "\(query) \(what)")
    var read: [DefaultSnapshot] = []
    try context.forEachSnapshot(matching: query) { read.append($0) }
    isWrong = isWrong || read != found
    #expect(read == found, "one after the other: \(query) \(what)")
    let names = found.map(\.persistentIdentifier).reversed() + found.map(\.persistentIdentifier)
    let page = try context.page(for: names, attributes: nil)
    let byName = try context.snapshots(for: names)
    isWrong = isWrong || page.snapshots != names.compactMap { byName[$0] }
    #expect(page.snapshots == names.compactMap { byName[$0] }, "by identifier: \(what)")
    try checkTexts(page, what)
  }

  /// The texts of a page are those of its values.
  private func checkTexts(_ page: any RecordPage, _ what: String) throws {
    for slot in page.layout.names.indices {
      var column = TextColumn()
      page.append(0..<page.count, slot: slot, to: &column)
      var expected = TextColumn()
      for snapshot in page.snapshots { expected.append(snapshot.orderedValues[slot]) }
      #expect(column.bytes == expected.bytes, "\(what)")
      #expect(column.ends == expected.ends && column.forms == expected.forms, "\(what)")
    }
  }

  private func checkHeld(_ what: String) throws {
    for record in held where record.modelContext === context && !record.isDeleted {
      let same = try context.records(for: [record.persistentModelID]).first
      #expect(same === record, "\(what)")
      #expect(canonical(record.snapshot) == oracle.live[serial(of: record)], "\(what)")
    }
  }

  mutating func undoEverything() throws {
    while context.canUndo { _ = try undo() }
    try check("after undoing everything, seed \(random.seed)")
    #expect(oracle.live == oracle.baseline)
    while context.canRedo { _ = try redo() }
    try check("after redoing everything, seed \(random.seed)")
    _ = try save()
    try check("after saving everything, seed \(random.seed)")
    while context.canUndo { _ = try undo() }
    try check("after undoing everything across the save, seed \(random.seed)")
    _ = try save()
    let left = try store.identifiers(matching: Query("Film")).count
    #expect(left == oracle.baseline.count)
  }

  // MARK: Names

  private mutating func someRecord() throws -> Record? {
    guard let serial = oracle.live.keys.sorted().randomElement(using: &random),
      let identifier = identifiers[serial]
    else { return nil }
    let record = try context.records(for: [context.resolve(identifier)]).first
    if random.chance(40), let record { held.append(record) }
    return record
  }

  private func serial(of record: Record) -> Int64 {
    if case .integer(let serial) = record[attribute: "serial"] { serial } else { -1 }
  }

  /// The values with serial numbers instead of identifiers, because a save replaces identifiers.
  private func canonical(_ snapshot: DefaultSnapshot) -> [Value] {
    snapshot.orderedValues.map { value in
      switch value {
      case .link(let link): .text("link \(serials[link] ?? -1)")
      case .links(let links): .text("links \(links.map { serials[$0] ?? -1 })")
      default: value
      }
    }
  }
}
