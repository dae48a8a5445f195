import OpenSwiftData
import Testing

/// What a store that answers part of a query asks for, and what runs over the answer.
@Suite struct QueryDivisionTests {
  private static let schema = Schema(
    Schema.Entity("Film", attributes: [.init("title", .text), .init("year", .integer)])
  )
  private static let old = Filter.compare("year", .less, .integer(2000))
  private static let short = Filter.text("title", TextMatch(.like, "??"))

  private static let films: [DefaultSnapshot] = ["Up", "It", "Brave", "Ran", "Go"].enumerated().map
  {
    DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: "s", entity: "Film").identifier(
        number: $0.offset
      ),
      layout: schema.entities[0].layout,
      orderedValues: [.text($0.element), .integer(Int64(2009 - $0.offset * 4))]
    )
  }

  private static func supports(_ filter: Filter) -> Bool {
    switch filter {
    case .and(let parts), .or(let parts): parts.allSatisfy(supports)
    case .compare: true
    default: false
    }
  }

  @Test(arguments: [
    Filter.all, old, short, .and([old, short]), .or([old, short]), .not(short),
    .and([.and([old, short]), .compare("title", .notEqual, .text("It"))]),
  ])
  func bothPartsTogetherAreTheQuery(_ filter: Filter) throws {
    let entity = try Self.schema.entity(named: "Film")
    for sort in [[], [SortKey("title")], [SortKey("year"), SortKey("title")]] {
      for supportsOrder in [true, false] {
        for (limit, offset) in [(nil, 0), (1, 0), (2, 1), (0, 0)] as [(Int?, Int)] {
          let query = Query(
            "Film",
            filter: filter,
            sort: sort,
            limit: limit,
            offset: offset,
            attributes: ["title"]
          )
          let parts = query.divided(supportsOrder: supportsOrder, where: Self.supports)
          #expect(parts.asked.filter == .all || Self.supports(parts.asked.filter))
          let answer = try parts.asked.run(over: Self.films, of: entity)
          let expected = try query.run(over: Self.films, of: entity)
          #expect(try parts.rest.run(over: answer, of: entity) == expected)
        }
      }
    }
  }

  @Test func onlyASupportedQueryIsCutByTheStore() {
    let query = Query("Film", filter: Self.old, sort: [SortKey("year")], limit: 1, offset: 1)
    let whole = query.divided(where: Self.supports)
    #expect(whole.asked == query && whole.rest == Query("Film"))
    var mixed = query
    mixed.filter = .and([Self.old, Self.short])
    let part = mixed.divided(where: Self.supports)
    #expect(part.asked == Query("Film", filter: Self.old))
    #expect(part.rest.filter == Self.short && part.rest.limit == 1 && part.rest.offset == 1)
    let unordered = query.divided(supportsOrder: false, where: Self.supports)
    #expect(unordered.asked == Query("Film", filter: Self.old))
    #expect(unordered.rest.sort == query.sort && unordered.rest.limit == 1)
  }

  @Test func aLookupHasTheRequestedRecordsAndAttributes() throws {
    let wanted = [Self.films[1].persistentIdentifier, Self.films[3].persistentIdentifier]
    let found = try Self.schema.lookup(wanted, among: Self.films, attributes: ["year"])
    #expect(
      found.mapValues(\.values) == [
        wanted[0]: ["year": .integer(2005)], wanted[1]: ["year": .integer(1997)],
      ]
    )
    #expect(throws: PersistenceError.self) {
      try Self.schema.lookup(wanted, among: [], attributes: ["stars"])
    }
  }

  @Test func changesAreRebasedOntoWhatIsStored() throws {
    let film = Self.films[0]
    var (dated, titled, stored) = (film, film, film)
    dated.orderedValues[1] = .integer(1)
    titled.orderedValues[0] = .text("Down")
    stored.orderedValues[1] = .integer(1)
    let identifier = film.persistentIdentifier
    let update = ChangeSet(updated: [RecordUpdate(before: film, after: titled)])
    let rebased = try update.rebased(onto: [identifier: stored])
    #expect(rebased.updated.map(\.before) == [stored])
    #expect(rebased.updated.map(\.after.orderedValues) == [[.text("Down"), .integer(1)]])
    let conflicts: [(ChangeSet, [PersistentIdentifier: DefaultSnapshot])] = [
      (update, [:]), (update, [identifier: titled]),
      (ChangeSet(updated: [RecordUpdate(before: film, after: dated)]), [identifier: stored]),
      (ChangeSet(deleted: [film]), [identifier: stored]), (ChangeSet(deleted: [film]), [:]),
      (ChangeSet(inserted: [film]), [identifier: film]),
    ]
    for (changes, stored) in conflicts {
      let error = #expect(throws: PersistenceError.self) { try changes.rebased(onto: stored) }
      #expect(error?.code == .conflict)
    }
  }
}
