import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// What a store does around its format.
@Suite struct FormatStoreTests {
  private static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text, isOptional: false), .init("year", .integer),
        .init("sequel", .link("Film")),
      ]
    )
  )

  private let location = MemoryLocation()

  private func open(
    _ format: MemoryFormat? = nil,
    name: String = "films",
    limit: HistoryLimit = HistoryLimit()
  ) throws -> FormatStore<MemoryFormat> {
    try FormatStore(
      FormatStoreConfiguration(
        format ?? MemoryFormat(location),
        name: name,
        schema: Self.schema,
        historyLimit: limit
      )
    )
  }

  private func film(_ number: UInt64, _ title: String, sequel: Value = .null) throws
    -> DefaultSnapshot
  {
    DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "Film")
        .temporaryIdentifier(number, context: 1),
      layout: try Self.schema.entity(named: "Film").layout,
      orderedValues: [.text(title), .null, sequel]
    )
  }

  @discardableResult
  private func insert(_ titles: String..., into store: FormatStore<some StoreFormat>) throws
    -> CommitResult
  {
    let films = try titles.enumerated().map { try film(UInt64($0.offset), $0.element) }
    return try store.commit(ChangeSet(inserted: films), author: "ann")
  }

  private func all(_ store: FormatStore<some StoreFormat>) throws -> [DefaultSnapshot] {
    try store.snapshots(matching: Query("Film"))
  }

  private func titles(_ store: FormatStore<some StoreFormat>) throws -> [String] {
    try all(store).map { $0["title"]?.text ?? "" }
  }

  private func retitle(_ record: DefaultSnapshot, _ title: String) -> ChangeSet {
    var after = record
    after.orderedValues[0] = .text(title)
    return ChangeSet(updated: [RecordUpdate(before: record, after: after)])
  }

  // MARK: Saving

  @Test func theFormatGetsWhatChanged() throws {
    let store = try open()
    try insert("One", "Two", "Three", into: store)
    let films = try all(store)
    var changes = retitle(films[1], "Zwei")
    changes.deleted = [films[0]]
    _ = try store.commit(changes, author: "bob")
    let writes = location.writes
    #expect(writes.map(\.saved.count) == [3, 1])
    #expect(writes.last?.saved.map { $0["title"] } == [.text("Zwei")])
    #expect(writes.last?.deleted == [films[0]])
    #expect(writes.map(\.author) == ["ann", "bob"])
    #expect(location.contents?.records == (try all(store)))
  }

  /// The before-values of an update may be older than values that it does not change.
  @Test func theFormatGetsTheValuesThatAnUpdateDoesNotChange() throws {
    let (here, there) = (try open(), try open())
    try insert("One", into: here)
    let record = try #require(try all(there).first)
    var dated = record
    dated.orderedValues[1] = .integer(1999)
    _ = try here.commit(
      ChangeSet(updated: [RecordUpdate(before: record, after: dated)]),
      author: nil
    )
    _ = try there.commit(retitle(record, "Eins"), author: nil)
    let expected: [Value] = [.text("Eins"), .integer(1999), .null]
    #expect(location.contents?.records.map(\.orderedValues) == [expected])
    #expect(location.writes.last?.saved.map(\.orderedValues) == [expected])
  }

  @Test func aFailedWriteChangesNothing() throws {
    let store = try open()
    try insert("One", into: store)
    let before = (try all(store), try store.transactions(after: nil, touching: nil), store.schema)
    location.fail(.inaccessible, .inaccessible)
    #expect(throws: PersistenceError.self) { try insert("Two", into: store) }
    #expect(throws: PersistenceError.self) {
      try store.apply(.dropAttribute(entity: "Film", name: "year"), author: nil)
    }
    #expect(try all(store) == before.0)
    #expect(try store.transactions(after: nil, touching: nil) == before.1)
    #expect(store.schema == before.2)
    try insert("Two", into: store)
    #expect(try titles(store) == ["One", "Two"])
  }

  @Test func afterAnUnknownOutcomeNothingIsSaved() throws {
    let store = try open()
    try insert("One", into: store)
    location.fail(.outcomeUnknown)
    for _ in 1...2 {
      let error = #expect(throws: PersistenceError.self) { try insert("Two", into: store) }
      #expect(error?.code == .outcomeUnknown)
    }
    location.edit { $0.records = [] }
    #expect(try titles(store) == ["One"])
    #expect(try titles(open()) == [])
  }

  /// An editor saves between loading and writing: the save is checked against that.
  @Test func anEditDuringASaveIsNotOverwritten() throws {
    let store = try open()
    try insert("One", "Two", into: store)
    let films = try all(store)
    location.state.withLock { $0.nextEdit = { $0["title"] == .text("Two") } }
    _ = try store.commit(retitle(films[0], "Eins"), author: nil)
    #expect(try titles(store) == ["Eins"])
    #expect(location.contents?.records.count == 1)
    let history = try store.transactions(after: 1, touching: nil)
    #expect(history.map(\.isExternal) == [true, false])
    location.state.withLock { $0.nextEdit = { $0["title"] == .text("Eins") } }
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(retitle(all(store)[0], "Uno"), author: nil)
    }
    #expect(error?.message.contains("no longer exists") == true)
  }

  @Test func theFormatGetsAllRecordsAfterAChangeOfTheSchema() throws {
    let store = try open()
    try insert("One", "Two", into: store)
    let films = try all(store)
    try store.apply(.dropAttribute(entity: "Film", name: "year"), author: nil)
    #expect(location.writes.last?.saved == (try all(store)))
    #expect(location.writes.last?.deleted == [])
    let empty = SchemaReplacement(schema: Schema(), origins: [:])
    try store.apply(.replaceSchema(empty), author: nil)
    #expect(
      location.writes.last?.deleted.map(\.persistentIdentifier) == films.map(\.persistentIdentifier)
    )
  }

  @Test func nothingToDoWritesNothing() throws {
    let store = try open()
    #expect(try store.commit(ChangeSet(), author: nil) == CommitResult())
    #expect(location.writes.isEmpty)
    #expect(location.contents == nil)
  }

  @Test func savesFromManyThreadsAndStoresAreAllKept() async throws {
    let stores = [try open(), try open(), try open()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask { try insert("\(number)", into: stores[number % 3]) }
      }
      try await group.waitForAll()
    }
    for store in stores { #expect(Set(try titles(store)).count == 30) }
    #expect(Set(try all(stores[0]).map(\.persistentIdentifier)).count == 30)
  }

  // MARK: Changes of other programs

  @Test func aFetchLoadsOnlyWhatHasChanged() throws {
    let (here, there) = (try open(), try open())
    try insert("One", into: here)
    #expect(try titles(there) == ["One"])
    let count = location.loadCount
    for _ in 1...3 { _ = try titles(there) }
    try insert("Two", into: there)
    try here.refresh()
    try here.refresh()
    #expect(location.loadCount == count + 1)
    #expect(try titles(here) == ["One", "Two"])
  }

  @Test func withoutVersionsASaveStillSeesOtherPrograms() throws {
    var format = MemoryFormat(location)
    format.hasVersions = false
    let (here, there) = (try open(format), try open(format))
    try insert("One", into: here)
    #expect(try titles(there) == [])
    try insert("Two", into: there)
    #expect(try titles(there) == ["One", "Two"])
    try here.refresh()
    #expect(try titles(here) == ["One", "Two"])
  }

  @Test func changesFromOutsideAreInTheHistoryWithTheirValues() throws {
    let store = try open()
    try insert("One", "Two", into: store)
    let films = try all(store)
    try location.edit { contents in
      contents.records[0].orderedValues[0] = .text("Eins")
      contents.records.remove(at: 1)
      let key = try PersistentIdentifier.identifier(
        for: "films",
        entityName: "Film",
        keyText: "three"
      )
      contents.records.append(
        DefaultSnapshot(persistentIdentifier: key, values: ["title": .text("Three")])
      )
    }
    let transactions = try store.transactions(after: 1, touching: nil)
    #expect(transactions.map(\.isExternal) == [true])
    #expect(transactions.map(\.author) == [nil])
    let changes = try #require(transactions.first?.changes)
    #expect(changes.inserted.map { $0["title"] } == [.text("Three")])
    #expect(changes.updated.map(\.before) == [films[0]])
    #expect(changes.updated.map { $0.after["title"] } == [.text("Eins")])
    #expect(changes.deleted == [films[1]])
  }

  @Test func aConflictWithAnotherProgramIsFoundAndReported() throws {
    let (here, there) = (try open(), try open())
    try insert("One", into: here)
    let record = try #require(try all(there).first)
    _ = try here.commit(retitle(record, "Mine"), author: nil)
    let news = Mutex<[StoreChange]>([])
    let subscription = there.changeFeed.observe { change in news.withLock { $0.append(change) } }
    defer { subscription.cancel() }
    let error = #expect(throws: PersistenceError.self) {
      try there.commit(retitle(record, "Theirs"), author: nil)
    }
    #expect(error?.code == .conflict)
    // The save has loaded the change, so it must be reported although the save failed.
    #expect(news.withLock { $0 } == [StoreChange(updated: [record.persistentIdentifier])])
    #expect(try titles(there) == ["Mine"])
    #expect(location.writes.count == 2)
  }

  /// An observer that uses the store would wait forever if a lock were held.
  @Test(.timeLimit(.minutes(1))) func newsAreSentWithoutLocks() throws {
    let store = try open()
    try insert("One", into: store)
    let heard = Mutex<[[String]]>([])
    let subscription = store.changeFeed.observe { _ in
      // The test reports what is missing.
      guard let titles = try? titles(store), titles.count == 2 else { return }
      _ = try? insert("Three", into: store)
      heard.withLock { $0.append(titles) }
    }
    defer { subscription.cancel() }
    try insert("Two", into: try open())
    try store.refresh()
    #expect(heard.withLock { $0 } == [["One", "Two"]])
    #expect(try titles(store) == ["One", "Two", "Three"])
  }

  @Test func aWatchedLocationReportsByItself() throws {
    let format = WatchedFormat(memory: MemoryFormat(location))
    let store = try FormatStore(
      FormatStoreConfiguration(format, name: "films", schema: Self.schema)
    )
    let news = Mutex(0)
    let lastFailure = Mutex<String?>(nil)
    let subscription = store.changeFeed.observe { change in
      news.withLock { $0 += 1 }
      lastFailure.withLock { $0 = change.failure }
    }
    defer { subscription.cancel() }
    store.startWatching()
    location.edit { $0.schema = Self.schema }
    let held = location.state.withLock { $0.watcher }
    let watcher = try #require(held)
    try insert("One", into: try open())
    watcher()
    #expect(news.withLock { $0 } == 1)
    // Damaged: reported once, however often the watch calls.
    location.edit { $0.records += $0.records }
    for _ in 1...3 { watcher() }
    #expect(news.withLock { $0 } == 2)
    #expect(lastFailure.withLock { $0 } != nil)
    // What was loaded last can be read, and saved elsewhere.
    #expect(try titles(store) == ["One"])
    #expect(throws: PersistenceError.self) { try store.refresh() }
    #expect(throws: PersistenceError.self) { try insert("Two", into: store) }
    #expect(news.withLock { $0 } == 2)
    // Repaired: the failure is revoked, although nothing has changed.
    location.edit { $0.records.removeLast($0.records.count / 2) }
    watcher()
    #expect(news.withLock { $0 } == 3)
    #expect(lastFailure.withLock { $0 } == nil)
    try insert("Two", into: store)
    #expect(try titles(store) == ["One", "Two"])
  }

  @Test func aSchemaThatAnotherProgramChangedIsAdopted() throws {
    let (here, there) = (try open(), try open())
    try insert("One", into: here)
    _ = try titles(there)
    try here.apply(.renameAttribute(entity: "Film", from: "title", to: "name"), author: nil)
    #expect(try all(there).map { $0["name"] } == [.text("One")])
    #expect(there.schema == here.schema)
    let change = try there.transactions(after: 1, touching: nil).first?.schemaChange
    guard case .replaceSchema(let replacement) = change else {
      Issue.record("the history has \(String(describing: change))")
      return
    }
    #expect(replacement.origins["Film"] == ["name": "title", "year": "year", "sequel": "sequel"])
  }

  @Test func aLocationThatWasRemovedIsNotWrittenAgain() throws {
    let store = try open()
    try insert("One", into: store)
    location.state.withLock { state in
      state.contents = nil
      state.version += 1
    }
    let error = #expect(throws: PersistenceError.self) { try insert("Two", into: store) }
    #expect(error?.code == .conflict)
    #expect(location.contents == nil)
  }

  // MARK: Opening

  @Test func duplicateRecordsAreDamage() throws {
    try insert("One", into: try open())
    location.edit { $0.records += $0.records }
    let error = #expect(throws: PersistenceError.self) { try open() }
    #expect(error?.code == .storeViolation)
    #expect(error?.message.contains("store films: duplicate record") == true)
  }

  @Test func recordsOfAnotherStoreBecomeItsOwn() throws {
    let original = try open()
    let first = try film(1, "One")
    let second = try film(2, "Two", sequel: .link(first.persistentIdentifier))
    _ = try original.commit(ChangeSet(inserted: [first, second]), author: nil)
    let copy = try all(open(name: "copy"))
    #expect(copy.map(\.persistentIdentifier.storeIdentifier) == ["copy", "copy"])
    #expect(copy[1]["sequel"] == .link(copy[0].persistentIdentifier))
    #expect(
      copy.map(\.persistentIdentifier.description)
        == (try all(original)).map(\.persistentIdentifier.description)
    )
  }

  @Test func aFormatWithoutASchemaKeepsThatOfTheConfiguration() throws {
    var format = MemoryFormat(location)
    format.savesSchema = false
    let store = try open(format)
    try insert("One", into: store)
    #expect(store.storedSchema == nil)
    let error = #expect(throws: PersistenceError.self) {
      try store.apply(.dropAttribute(entity: "Film", name: "year"), author: nil)
    }
    #expect(error?.code == .unsupported)
    #expect(try titles(open(format)) == ["One"])
  }

  /// A program that uses only some of the entities must not lose the others.
  @Test func recordsOfUnknownEntitiesAreKept() throws {
    let store = try open()
    try insert("One", into: store)
    let person = DefaultSnapshot(
      persistentIdentifier: try .identifier(for: "films", entityName: "Person", keyText: "ann"),
      values: ["name": .text("Ann")]
    )
    location.edit { $0.records.append(person) }
    try insert("Two", into: store)
    #expect(location.contents?.records.last == person)
    #expect(try titles(store) == ["One", "Two"])
    try insert("Three", into: try open())
    #expect(location.contents?.records.last == person)
    #expect(location.contents?.records.count == 4)
  }

  @Test func errorsOfAFormatNameTheStore() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Data(#"{"records": [{"title": "One"}]}"#.utf8).write(to: url)
    // The system cleans up what cannot be removed.
    defer { try? FileManager.default.removeItem(at: url) }
    let error = #expect(throws: PersistenceError.self) {
      try FormatStore(FormatStoreConfiguration(SmallFormat(url: url), name: "films"))
    }
    #expect(error?.code == .damaged)
    #expect(error?.message.hasPrefix("store films: records.1") == true, "\(error?.message ?? "")")
  }

  @Test func aStoreIsMigratedWhenItIsOpened() throws {
    func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
      let configuration = FormatStoreConfiguration(MemoryFormat(location), name: "trips")
      return ModelContext(
        try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration])
      )
    }
    let former = try open(TripsV1.self)
    let trip = TripsV1.Trip(name: "Alps", cost: "12")
    former.insert(TripsV1.Stop(place: "Trient", trip: trip))
    try former.save()
    let trips = try open(TripsV2.self).fetch(FetchDescriptor<TripsV2.Trip>())
    #expect(trips.map(\.name) == ["Alps"])
    #expect(trips.first?.stops.map(\.town) == ["Trient"])
    #expect(location.contents?.schema == Schema(versionedSchema: TripsV2.self))
  }

  // MARK: Keys and history

  @Test func aFormatChoosesKeysThatAreNeverGivenTwice() throws {
    var format = MemoryFormat(location)
    format.choosesKeys = true
    let store = try open(format)
    let result = try insert("up", "up", "brave", into: store)
    #expect(result.remappedIdentifiers.count == 3)
    #expect(try all(store).map(\.persistentIdentifier.description) == ["up", "up-2", "brave"])
    _ = try store.commit(ChangeSet(deleted: [try all(store)[0]]), author: nil)
    try insert("up", into: store)
    #expect(try all(store).map(\.persistentIdentifier.description) == ["up-2", "brave", "up-3"])
    let history = try store.transactions(after: nil, touching: nil)
    #expect(
      history.first?.changes.inserted.map(\.persistentIdentifier.description)
        == ["up", "up-2", "brave"]
    )
  }

  @Test func theHistoryIsBoundedAndCanBeDeleted() throws {
    let store = try open(limit: HistoryLimit(transactionCount: 2))
    for number in 1...4 { try insert("\(number)", into: store) }
    #expect(try store.transactions(after: 2, touching: nil).map(\.token) == [3, 4])
    #expect(throws: PersistenceError.self) { try store.transactions(after: 1, touching: nil) }
    try store.deleteTransactions([3])
    #expect(try store.transactions(after: nil, touching: nil).map(\.token) == [4])
    #expect(store.migrationToken == 4)
  }
}
