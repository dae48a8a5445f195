import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// Listings against plain lists, while their context and other programs change the records.
@Suite struct RandomListingTests {
  /// A kind of store, with the name that its file has.
  enum Kind: String, CaseIterable, Sendable {
    case memory
    case json = "items.json"
    case log = "items.catlog"
    /// A store of another package, with the defaults of the protocol.
    case defaults
  }

  @Test(arguments: Kind.allCases, [1, 3] as [UInt64])
  func listingsEqualPlainLists(kind: Kind, seed: UInt64) throws {
    var run = try ListingRun(kind, seed: seed)
    for number in 0..<testRounds(300) {
      let operation = try run.stepOrRefusal()
      try run.check("\(kind), seed \(seed), operation \(number), \(operation)")
      if run.isWrong { return }
    }
    #expect(run.stops > 0, "some work was canceled")
  }

  /// Formerly only the first new record told whether the new records had been saved.
  @Test(arguments: [Kind.memory, .json, .log])
  func aSavedRecordIsListedAfterAnotherNewOneWasDropped(kind: Kind) throws {
    let run = try ListingRun(kind, seed: 1)
    let query = Query("Item", sort: [SortKey("year")])
    let (first, second) = (Record(entity: ListingRun.entity), Record(entity: ListingRun.entity))
    for record in [first, second] {
      try record.set(.integer(5), for: "year")
      run.context.insert(record)
    }
    let listing = try run.context.listing(matching: query)
    let places = try [first, second].map { try listing.position(of: $0.persistentModelID) }
    run.context.delete(first)
    try run.context.save()
    #expect(try listing.position(of: second.persistentModelID) == places[1])
    #expect(!second.persistentModelID.isTemporary && places[1] != nil)
  }
}

/// A listing, and the identifiers that it must have.
private struct HeldListing {
  let listing: any Listing
  var expected: [PersistentIdentifier]
  /// True if it is a listing of the store, without unsaved changes.
  let isStored: Bool
  let text: String
}

/// Random operations on a context and its listings.
private struct ListingRun {
  static let entity = Schema.Entity(
    "Item",
    attributes: [
      .init("title", .text), .init("year", .integer), .init("seen", .boolean),
      .init("rating", .number),
    ]
  )

  let folder: TemporaryFolder
  let context: ModelContext
  let store: any QueryableStore
  /// The context of another program, or of another part of this one.
  let other: ModelContext
  var random: SeededGenerator
  var held: [HeldListing] = []
  var isWrong = false
  /// How often work was canceled.
  var stops = 0

  init(_ kind: RandomListingTests.Kind, seed: UInt64) throws {
    folder = try TemporaryFolder()
    random = SeededGenerator(seed: seed)
    let schema = Schema(Self.entity)
    if kind == .defaults {
      let configuration = ReferenceStoreConfiguration(schema: schema)
      context = ModelContext(try ModelContainer(configurations: configuration))
    } else {
      context = try folder.context(on: kind.rawValue, schema: schema)
    }
    store = try #require(context.container.stores.first as? any QueryableStore)
    for _ in 0..<20 { try context.insert(Self.record(&random)) }
    try context.save()
    other =
      kind == .json || kind == .log
      ? try folder.context(on: kind.rawValue, schema: schema) : ModelContext(context.container)
  }

  private static func record(_ random: inout SeededGenerator) throws -> Record {
    let record = Record(entity: entity)
    for name in entity.layout.names where random.chance(80) {
      try record.set(value(of: name, &random), for: name)
    }
    return record
  }

  private static func value(of name: String, _ random: inout SeededGenerator) -> Value {
    let values: [String: [Value]] = [
      "title": [.null, .text("a"), .text("B"), .text("bb"), .text("é")],
      "year": [.null, .integer(1), .integer(2), .integer(3)],
      "seen": [.null, .boolean(true), .boolean(false)],
      "rating": [.null, .number(0), .number(-1.5), .number(.nan), .number(8)],
    ]
    let choices = values[name] ?? [.null]
    return choices[random.below(choices.count)]
  }

  /// A step; refused if it concerns a record that the other program has deleted, as an undone change may.
  mutating func stepOrRefusal() throws -> String {
    do {
      return try step()
    } catch let error as PersistenceError where [.unknownRecord, .conflict].contains(error.code) {
      other.rollback()
      return "refused: \(error)"
    }
  }

  private mutating func step() throws -> String {
    switch random.below(100) {
    case 0..<14: return try insert(into: context)
    case 14..<34: return try change(in: context)
    case 34..<44: return try delete(in: context)
    case 44..<50:
      context.closeUndoStep(named: "step")
      return "close"
    case 50..<60: return undo()
    case 60..<64: return redo()
    case 64..<70: return save()
    case 70..<72:
      context.discardChanges()
      return "discard"
    case 72..<80: return try changeElsewhere()
    case 80..<83: return try compact()
    case 83..<86: return try deleteMost()
    case 86..<92: return try stopSomething()
    default: return try list()
    }
  }

  // MARK: Operations

  private mutating func insert(into context: ModelContext) throws -> String {
    for _ in 0...random.below(3) { context.insert(try Self.record(&random)) }
    return "insert"
  }

  private mutating func change(in context: ModelContext) throws -> String {
    guard let record = try someRecord(of: context) else { return "nothing" }
    let name = Self.entity.layout.names[random.below(4)]
    try record.set(Self.value(of: name, &random), for: name)
    return "set \(name)"
  }

  private mutating func delete(in context: ModelContext) throws -> String {
    guard let record = try someRecord(of: context) else { return "nothing" }
    try context.delete([record.persistentModelID])
    return "delete"
  }

  /// A record; for another program one that this context has not changed, so that there are no conflicts.
  private mutating func someRecord(of context: ModelContext) throws -> Record? {
    let all = try context.fetchIdentifiers(matching: Query("Item"))
    let free =
      context === self.context ? all : all.filter { self.context.pendingKind(of: $0) == nil }
    guard let identifier = free.randomElement(using: &random) else { return nil }
    return try context.records(for: [identifier]).first
  }

  /// An undo that needs a record which another program has deleted is refused; the list must be right nevertheless.
  private func undo() -> String { (try? context.undo()) == nil ? "no undo" : "undo" }
  private func redo() -> String { (try? context.redo()) == nil ? "no redo" : "redo" }

  private mutating func save() -> String {
    do {
      let (_, remapped) = try context.saveReporting()
      for place in held.indices where !held[place].isStored {
        held[place].expected = held[place].expected.map {
          $0.isTemporary ? remapped[$0] ?? $0 : $0
        }
      }
      return "save"
    } catch {
      // An undone change may be in conflict with one of the other program.
      context.rollback()
      return "rollback after \(error)"
    }
  }

  private mutating func changeElsewhere() throws -> String {
    var what: [String] = []
    try other.container.refresh()
    for _ in 0...random.below(3) {
      switch random.below(3) {
      case 0: what.append(try insert(into: other))
      case 1: what.append(try change(in: other))
      default: what.append(try delete(in: other))
      }
    }
    try other.save()
    try context.container.refresh()
    return "elsewhere: \(what)"
  }

  private func compact() throws -> String {
    guard let store = store as? any MaintainableStore else { return "nothing" }
    _ = try store.compact()
    return "compact"
  }

  /// Deletes so many records that the table is compacted as well.
  private mutating func deleteMost() throws -> String {
    guard !context.hasChanges else { return "nothing" }
    let all = try context.fetchIdentifiers(matching: Query("Item"))
    try context.delete(Array(all.shuffled(using: &random).prefix(all.count * 2 / 3)))
    let saved = save()
    _ = try compact()
    for _ in 0..<15 { context.insert(try Self.record(&random)) }
    return "delete most, \(saved)"
  }

  // MARK: Listings

  private mutating func query() -> Query {
    let filters: [Filter] = [
      .all, .all, .compare("title", .equal, .text("a")), .isNull("year"),
      .compare("year", .greater, .integer(1)), .not(.compare("seen", .equal, .boolean(true))),
      .anyText(TextMatch(.contains, "b", options: .caseInsensitive)), .constant(false),
    ]
    let keys = Self.entity.layout.names.map {
      SortKey($0, isDescending: random.chance(50), nullsFirst: random.chance(50))
    }
    return Query(
      "Item",
      filter: filters[random.below(filters.count)],
      sort: Array(keys.shuffled(using: &random).prefix(random.below(4))),
      limit: random.chance(15) ? random.below(12) : nil,
      offset: random.chance(15) ? random.below(8) : 0
    )
  }

  /// Makes a listing, and notes what it must list.
  private mutating func list() throws -> String {
    let query = query()
    let isStored = random.chance(30)
    let all = try isStored ? store.snapshots(matching: Query("Item")) : allInOrder()
    let expected = try query.run(over: all, of: Self.entity).map(\.persistentIdentifier)
    let listing =
      isStored ? try store.listing(matching: query) : try context.listing(matching: query)
    let new = HeldListing(
      listing: listing,
      expected: expected,
      isStored: isStored,
      text: "\(isStored ? "store" : "context") \(query)"
    )
    if held.count < 5 { held.append(new) } else { held[random.below(5)] = new }
    return "list \(query)"
  }

  /// The records of the context: those of the store in its order, then new ones.
  private mutating func allInOrder() throws -> [DefaultSnapshot] {
    let all = try context.fetchSnapshots(matching: Query("Item"))
    let present = Set(all.map(\.persistentIdentifier))
    let stored = try store.identifiers(matching: Query("Item")).filter(present.contains)
    expect(Array(all.prefix(stored.count).map(\.persistentIdentifier)) == stored, "natural order")
    return all
  }

  /// Cancels some work at a random point.
  private mutating func stopSomething() throws -> String {
    let query = query()
    let work = random.below(5)
    let left = Mutex(random.below(4))
    let listing = held.randomElement(using: &random)?.listing
    do {
      try Interruption.allowed(by: {
        left.withLock { left in
          left -= 1
          return left < 0
        }
      }) {
        switch work {
        case 0: _ = try context.listing(matching: query)
        case 1:
          _ = try listing?.position(matching: query.filter, from: 0, isForward: true)
        case 2: _ = try context.valueCounts(of: "year", matching: query)
        case 3: try context.forEachPage(matching: query) { _ in try Interruption.check() }
        default: _ = try listing?.records(in: 0..<100, attributes: nil)
        }
      }
      return "finish \(work)"
    } catch is Interruption.Stopped {
      stops += 1
      return "stop \(work)"
    }
  }

  // MARK: Checks

  private mutating func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if holds { return }
    isWrong = true
    let text = what()
    #expect(holds, "\(text)")
  }

  mutating func check(_ what: String) throws {
    for place in held.indices where !isWrong {
      try check(held[place], "\(held[place].text) \(what)")
    }
    if random.chance(30) { try checkAnswers(what) }
  }

  private mutating func check(_ held: HeldListing, _ what: String) throws {
    let (listing, expected) = (held.listing, held.expected)
    expect(listing.count == .exact(expected.count), "count \(listing.count) \(what)")
    let start = random.below(expected.count + 3)
    let range = start..<(start + random.below(expected.count + 3))
    let page = Array(expected[range.clamped(to: expected.indices)])
    expect(try listing.identifiers(in: range) == page, "identifiers \(range) \(what)")
    let current = try snapshots(for: expected, held)
    let found = try listing.records(in: range, attributes: nil)
    expect(found.map(\.identifier) == page, "records \(range) \(what)")
    expect(found.map(\.snapshot) == page.map { current[$0] }, "values \(range) \(what)")
    let names = ["rating", "title"]
    let some = try listing.records(in: range, attributes: names)
    let layout = SnapshotLayout(names)
    expect(
      some.map(\.snapshot) == page.map { current[$0]?.projected(on: layout) },
      "some values \(range) \(what)"
    )
    for (place, identifier) in expected.enumerated() {
      expect(try listing.position(of: identifier) == place, "position \(place) \(what)")
    }
    for identifier in try context.fetchIdentifiers(matching: Query("Item"))
    where !expected.contains(identifier) {
      expect(try listing.position(of: identifier) == nil, "no position of \(identifier) \(what)")
    }
    try checkSearch(held, current, what)
  }

  private func snapshots(for identifiers: [PersistentIdentifier], _ held: HeldListing) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    held.isStored
      ? try store.snapshots(for: identifiers) : try context.snapshots(for: identifiers)
  }

  private mutating func checkSearch(
    _ held: HeldListing,
    _ current: [PersistentIdentifier: DefaultSnapshot],
    _ what: String
  ) throws {
    let filter = query().filter
    let bound = try BoundFilter(filter, layout: Self.entity.layout)
    let start = random.below(held.expected.count + 2) - 1
    let matches = held.expected.indices.filter { place in
      current[held.expected[place]].map(bound.matches) ?? false
    }
    for isForward in [true, false] {
      let nearest =
        isForward ? matches.first { $0 >= start } : matches.last { $0 <= start }
      let found = try held.listing.position(matching: filter, from: start, isForward: isForward)
      expect(
        found == nearest,
        "\(filter) from \(start) \(isForward): \(found ?? -1), not \(nearest ?? -1) \(what)"
      )
    }
  }

  /// Counts, values and pages of the context.
  private mutating func checkAnswers(_ what: String) throws {
    let query = query()
    let all = try allInOrder()
    let expected = try query.run(over: all, of: Self.entity)
    expect(try context.fetchCount(matching: query) == expected.count, "count \(query) \(what)")
    var read: [DefaultSnapshot] = []
    try context.forEachSnapshot(matching: query) { read.append($0) }
    expect(read == expected, "one after the other \(query) \(what)")
    read = []
    try context.forEachPage(matching: query) { read += $0.snapshots }
    expect(read == expected, "page by page \(query) \(what)")
    let whole = try Query("Item", filter: query.filter).run(over: all, of: Self.entity)
    for (slot, name) in Self.entity.layout.names.enumerated() {
      let counts = Dictionary(grouping: whole) { $0.orderedValues[slot] }.mapValues(\.count)
      expect(
        try context.valueCounts(of: name, matching: query) == counts,
        "counts of \(name) \(query) \(what)"
      )
    }
  }
}
