import Foundation
import OpenSwiftData
import Testing

@Suite struct FetchingTests {
  let films: FilmContainer

  init() throws { films = try FilmContainer() }

  private static let five: [(String, Int64)] = [
    ("Delta", 4), ("alpha", 1), ("Bravo", 2), ("Echo", 5), ("charlie", 3),
  ]

  private func titles(_ records: [Record]) -> [String] {
    records.map { $0[attribute: "title"].text }
  }

  @Test func descriptorsFilterSortAndCut() throws {
    let (context, _) = try films.context(films: Self.five)
    var descriptor = FetchDescriptor<Record>(
      entityName: "Film",
      filter: .compare("year", .greater, .integer(1)),
      sortBy: [SortDescriptor(\Record[sortable: "title"])]
    )
    #expect(try titles(context.fetch(descriptor)) == ["Bravo", "Delta", "Echo", "charlie"])
    descriptor.sortBy = [SortDescriptor(\Record[sortable: "year"], order: .reverse)]
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try titles(context.fetch(descriptor)) == ["Delta", "charlie"])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(
      try context.fetchIdentifiers(descriptor)
        == context.fetch(descriptor).map(\.persistentModelID)
    )
  }

  @Test func unsavedChangesTakePartUnlessTheyShallNot() throws {
    let (context, records) = try films.context(films: Self.five)
    try records[0].set(.integer(0), for: "year")
    context.delete(records[1])
    try films.insert("Foxtrot", year: 3, into: context)
    var descriptor = FetchDescriptor<Record>(
      entityName: "Film",
      filter: .compare("year", .greater, .integer(2)),
      sortBy: [SortDescriptor(\Record[sortable: "year"])]
    )
    #expect(try titles(context.fetch(descriptor)) == ["charlie", "Foxtrot", "Echo"])
    descriptor.includePendingChanges = false
    #expect(try titles(context.fetch(descriptor)) == ["charlie", "Delta", "Echo"])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(
      try context.fetchIdentifiers(descriptor)
        == [records[4], records[0], records[3]].map(\.persistentModelID)
    )
  }

  @Test func changedRecordsStandAmongTheirEqualsAsInTheStore() throws {
    let (context, records) = try films.context(
      films: [("a", 1), ("b", 1), ("c", 2), ("d", 1), ("e", 1)]
    )
    try records[2].set(.integer(1), for: "year")
    try records[0].set(.text("a2"), for: "title")
    try films.insert("f", year: 1, into: context)
    let query = Query("Film", sort: [SortKey("year")])
    let before = try films.titles(context, query)
    #expect(before == ["a2", "b", "c", "d", "e", "f"])
    try context.save()
    #expect(try films.titles(context, query) == before)
  }

  @Test(arguments: [1, 100, 300])
  func manyChangedRecordsAreMergedAsTheStoreWouldSortThem(_ changed: Int) throws {
    let (context, records) = try films.context(
      films: (0..<600).map { ("f\($0)", Int64($0 % 7)) }
    )
    for number in 0..<changed { try records[number].set(.integer(Int64(number % 3)), for: "year") }
    for number in 0..<changed { try films.insert("n\(number)", year: 2, into: context) }
    for year in [SortKey("year"), SortKey("year", isDescending: true)] {
      let query = Query("Film", sort: [year])
      let before = try films.titles(context, query)
      let all = try context.fetchSnapshots(matching: Query("Film"))
      let entity = try context.schema.entity(named: "Film")
      #expect(before == (try query.run(over: all, of: entity)).map { $0["title"]?.text ?? "" })
    }
  }

  @Test func batchesAreReadWhenLookedAt() throws {
    let (context, records) = try films.context(films: Self.five)
    let new = try films.insert("New", into: context)
    let batches = try context.fetch(FetchDescriptor<Record>(entityName: "Film"), batchSize: 2)
    #expect(batches.count == 6)
    #expect(batches[0] === records[0] && batches[4] === records[4])
    try context.save()
    #expect(batches[5] === new)
  }

  @Test func aRecordThatIsGoneIsDeletedInItsBatch() throws {
    let (context, records) = try films.context(films: Self.five)
    let batches = try context.fetch(FetchDescriptor<Record>(entityName: "Film"), batchSize: 3)
    context.delete(records[1])
    try context.save()
    #expect(batches.map(\.isDeleted) == [false, true, false, false, false])
  }

  @Test func enumeratingMaySaveAndDelete() throws {
    let (context, _) = try films.context(films: Self.five)
    try films.insert("New", into: context)
    var seen: [String] = []
    try context.enumerate(FetchDescriptor<Record>(entityName: "Film"), batchSize: 2) { record in
      seen.append(record[attribute: "title"].text)
      if seen.count == 1 { context.delete(record) }
      if seen.count == 3 {
        for other in try context.fetch(FetchDescriptor<Record>(entityName: "Film")).suffix(2) {
          try other.set(.text("changed"), for: "title")
        }
        try context.save()
      }
    }
    #expect(seen == ["Delta", "alpha", "Bravo", "Echo", "changed", "changed"])
    #expect(try context.fetchCount(FetchDescriptor<Record>(entityName: "Film")) == 5)
  }

  @Test func readsByIdentifierHaveOnlyTheWantedAttributes() throws {
    let (context, records) = try films.context(films: Self.five)
    let names = ["year", "title"]
    let layout = SnapshotLayout(names)
    for isUnsaved in [false, true] {
      if isUnsaved {
        try records[0].set(.text("Delta II"), for: "title")
        context.delete(records[1])
      }
      let new = isUnsaved ? [try films.insert("Foxtrot", year: 3, into: context)] : []
      let identifiers = (records + new).map(\.persistentModelID)
      let whole = try context.snapshots(for: identifiers)
      let found = try context.snapshots(for: identifiers, attributes: names)
      #expect(found == whole.mapValues { $0.arranged(as: layout) })
      #expect(found.count == identifiers.count)
      #expect(try context.existing(identifiers) == Set(identifiers))
      for identifier in [identifiers[0], identifiers[4]] {
        let error = #expect(throws: PersistenceError.self) {
          try context.snapshots(for: [identifier], attributes: ["title", "tilte"])
        }
        #expect(error?.code == .unknownAttribute)
      }
    }
  }

  @Test func prefixesFindUnsavedRecordsToo() throws {
    let (context, records) = try films.context(films: Self.five)
    let new = try films.insert("New", into: context)
    #expect(
      try context.identifiers(withPrefix: new.persistentModelID.description)
        == [new.persistentModelID]
    )
    let stored = records[2].persistentModelID
    #expect(try context.identifiers(withPrefix: stored.description, limit: 9) == [stored])
  }

  @Test func unknownEntitiesAndFieldsAreNamed() throws {
    let (context, _) = try films.context(films: [])
    let entity = #expect(throws: PersistenceError.self) {
      try context.fetchCount(matching: Query("Flim"))
    }
    #expect(entity?.message == "unknown entity \"Flim\"; available: Film, Person")
    let field = #expect(throws: PersistenceError.self) {
      try context.fetchCount(matching: Query("Film", sort: [SortKey("tilte")]))
    }
    #expect(field?.code == .unknownAttribute)
    let offset = #expect(throws: PersistenceError.self) {
      try context.fetchCount(matching: Query("Film", offset: -1))
    }
    #expect(offset?.message == "limit and offset must not be negative")
  }
}
