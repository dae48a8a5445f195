import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@Suite struct IdentifierTests {
  private let scope = IdentifierScope(store: "store", entity: "Film")

  /// One identifier of each kind.
  private var kinds: [PersistentIdentifier] {
    get throws {
      [
        scope.identifier(number: -7),
        scope.identifier(key: RecordKey(milliseconds: 5, sequence: 10)),
        scope.identifier(uuid: UUID(high: 1, low: 2)),
        scope.identifier(text: "tt1049413"),
        IdentifierScope(store: nil, entity: "Film").temporaryIdentifier(3, context: 8),
      ]
    }
  }

  @Test func aKeyIsReadFromItsTextAndFromItsReverse() {
    for (milliseconds, sequence) in [(0, 0), (5, 10), (1 << 41, 1), ((1 << 42) - 1, (1 << 38) - 1)]
      as [(UInt64, UInt64)]
    {
      let key = RecordKey(milliseconds: milliseconds, sequence: sequence)
      #expect(RecordKey(key.description) == key)
      #expect(RecordKey(sortableText: String(key.description.reversed())) == key)
    }
    for text in [
      "", "0", "000000000000000i", "00000000000000é", "00000000000000000", "000000000000000A",
    ] {
      #expect(RecordKey(text) == nil && RecordKey(sortableText: text) == nil, "\(text)")
    }
  }

  @Test func anIdentifierIsSmall() {
    #expect(MemoryLayout<PersistentIdentifier>.stride <= 24)
    #expect(MemoryLayout<PersistentIdentifier?>.stride <= 24)
  }

  @Test func anIdentifierKnowsStoreAndEntity() throws {
    for identifier in try kinds {
      #expect(identifier.entityName == "Film")
      #expect(identifier.storeIdentifier == (identifier.isTemporary ? nil : "store"))
    }
    #expect(try kinds.map(\.isTemporary) == [false, false, false, false, true])
  }

  @Test func theTextFormNamesTheRecord() throws {
    #expect(
      try kinds.map(\.description) == [
        "-7", "a000000810000000", "00000000-0000-0001-0000-000000000002", "tt1049413", "t3",
      ]
    )
  }

  @Test func everyKindIsReadFromItsText() throws {
    for identifier in try kinds where !identifier.isTemporary {
      #expect(scope.identifier(parsing: identifier.description) == identifier)
    }
    #expect(scope.identifier(parsing: "007") == scope.identifier(text: "007"))
    #expect(scope.identifier(parsing: "UP") == scope.identifier(text: "UP"))
  }

  @Test func everyKindIsCoded() throws {
    for identifier in try kinds {
      let data = try JSONEncoder().encode(identifier)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        PersistentIdentifier.self,
        from: Data(#"{"entityName":"Film","primaryKey":"x","kind":1}"#.utf8)
      )
    }
  }

  @Test func keysOfAnyTypeBecomeIdentifiers() throws {
    func make<K: Comparable & CustomStringConvertible & Codable & Hashable>(_ key: K) throws
      -> PersistentIdentifier
    {
      try .identifier(for: "store", entityName: "Film", primaryKey: key)
    }
    #expect(try make(-7) == scope.identifier(number: -7))
    #expect(try make("a") == scope.identifier(text: "a"))
    #expect(try make(1.5).description == "1.5")
    #expect(try make(UUID(high: 1, low: 2)) == scope.identifier(uuid: UUID(high: 1, low: 2)))
    let error = #expect(throws: PersistenceError.self) { try make("") }
    #expect(error?.code == .invalidIdentifier)
  }

  @Test func identifiersAreOrdered() throws {
    #expect(scope.identifier(number: -7) < scope.identifier(number: 3))
    #expect(scope.identifier(text: "a") < scope.identifier(text: "b"))
    let keys = [(1, 5), (1, 6), (2, 0), (900, 1)].map {
      scope.identifier(key: RecordKey(milliseconds: $0.0, sequence: $0.1))
    }
    #expect(keys.shuffled().sorted() == keys)
    let all = try kinds
    for left in all {
      for right in all { #expect([left < right, left == right, right < left].count { $0 } == 1) }
      #expect(left.isTemporary || left < all[4])
    }
    let other = IdentifierScope(store: "store", entity: "Person").identifier(number: -100)
    #expect(scope.identifier(number: 5) < other)
  }

  @Test func prefixesMatchTheTextForm() throws {
    for identifier in try kinds {
      let text = identifier.description
      for length in 0...text.count {
        #expect(identifier.hasPrefix(String(text.prefix(length))))
      }
      #expect(!identifier.hasPrefix(text + "0"))
      #expect(!identifier.hasPrefix("x" + text))
    }
  }

  @Test func threadsMayMakeIdentifiersAtOnce() async {
    let made = await withTaskGroup(of: [PersistentIdentifier].self) { group in
      for _ in 0..<4 {
        group.addTask {
          (0..<500).map {
            IdentifierScope(store: "threads", entity: "E\($0 % 50)").identifier(text: "key \($0)")
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(made).count == 1)
    #expect(made[0][77].description == "key 77" && made[0][77].entityName == "E27")
  }
}

@Suite struct RecordKeyTests {
  @Test(arguments: [1, 2] as [UInt64])
  func everyKeyReadsBackFromItsText(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let key = RecordKey(milliseconds: random.next(), sequence: random.next())
      #expect(key.description.count == 16)
      #expect(RecordKey(key.description) == key, "seed \(seed)")
      let length = random.below(17)
      let prefix = RecordKey.Prefix(String(key.description.prefix(length)))
      let scope = IdentifierScope(store: "s", entity: "E")
      #expect(scope.identifier(key: key).hasPrefix(String(key.description.prefix(length))))
      #expect(prefix != nil)
    }
  }

  @Test(arguments: ["", "123", "ABCDEFGHJKMNPQRS", "il00000000000000", "00000000000000000"])
  func otherTextIsNoKey(_ text: String) {
    #expect(RecordKey(text) == nil)
  }

  @Test func theFirstLettersChangeFastest() {
    let keys = (0..<32).map { RecordKey(milliseconds: 7, sequence: 1000 + $0) }
    #expect(Set(keys.map { $0.description.prefix(1) }).count == 32)
  }

  /// A clock that returns these milliseconds in order, then always the last one.
  private func generator(_ times: [UInt64], random: UInt64) -> RecordKeyGenerator {
    let left = Counter()
    return RecordKeyGenerator(
      milliseconds: { times[min(left.next(), times.count - 1)] },
      random: { random }
    )
  }

  private final class Counter: Sendable {
    private let value = Mutex(-1)
    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }

  // Covers D17.
  @Test(
    arguments: [
      [1, 2, 3, 4, 5, 6], [5, 4, 3, 2, 1, 0], [9, 9, 9, 9, 9, 9], [0, 0, 7, 3, 8, 2],
      [1 << 41, 5, 1 << 41, 6, 7, 8],
    ] as [[UInt64]]
  )
  func keysGrowWhateverTheClockDoes(_ times: [UInt64]) {
    for random in [0, 12345, UInt64.max] {
      var generator = generator(times, random: random)
      let keys = (0..<50).map { _ in generator.next() }
      #expect(keys == keys.sorted() && Set(keys).count == keys.count)
    }
  }

  @Test func aFullMillisecondGoesOnInTheNext() {
    var generator = generator([5], random: 0)
    _ = generator.next()
    generator.note(RecordKey(milliseconds: 5, sequence: (1 << 38) - 1))
    #expect(generator.next() == RecordKey(milliseconds: 6, sequence: 0))
    #expect(generator.next() == RecordKey(milliseconds: 6, sequence: 1))
  }

  @Test func noKeyReadsAsANumber() {
    var generator = generator([5], random: 0)
    let scope = IdentifierScope(store: "store", entity: "Film")
    for _ in 0..<3000 {
      let identifier = scope.identifier(key: generator.next())
      #expect(scope.identifier(parsing: identifier.description) == identifier)
    }
  }

  @Test func keysComeAfterThoseThatWereNoted() {
    var generator = generator([5], random: 3)
    generator.note(RecordKey(milliseconds: 100, sequence: 4))
    generator.note(RecordKey(milliseconds: 50, sequence: 4))
    #expect(generator.next() == RecordKey(milliseconds: 100, sequence: 5))
  }
}

@Suite struct SnapshotTests {
  @Test func valuesAreFoundByName() {
    let film = Fixtures.snapshot(["title": .text("Up"), "year": .integer(2009)])
    #expect(film["title"] == .text("Up"))
    #expect(film["nothing"] == nil)
    #expect(film.values.count == film.layout.names.count)
  }

  @Test func aSnapshotIsCodedFlat() throws {
    let film = Fixtures.snapshot(["title": .text("Up"), "rating": .number(8.5)])
    let data = try JSONEncoder().encode(film)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["title"] as? String == "Up")
    #expect(object["rating"] as? Double == 8.5)
    #expect(object["persistentIdentifier"] is [String: Any])
    let read = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    #expect(read.persistentIdentifier == film.persistentIdentifier)
    #expect(read["title"] == .text("Up"))
  }

  @Test(
    arguments: [
      (.integer(.min), .integer), (.integer(.max), .integer),
      (.number(.leastNonzeroMagnitude), .number),
      (.number(1e300), .number), (.number(0.1), .number), (.number(5), .number),
      (.decimal(Decimal(string: "12345678901234567890.123") ?? 0), .decimal), (.text(""), .text),
      (.boolean(true), .boolean), (.date(CalendarDate(daysSince1970: 14393)), .date),
      (.datetime(Date(timeIntervalSinceReferenceDate: 0.125)), .datetime),
      (.uuid(UUID(high: 1, low: 2)), .uuid), (.json("[1]"), .json), (.null, .text),
      (.links([]), .links("Film")), (.integer(0), .integer), (.integer(1), .integer),
    ] as [(Value, AttributeType)]
  )
  func aDefaultOfEveryTypeIsCoded(_ value: Value, _ type: AttributeType) throws {
    let attribute = Schema.Attribute("a", type, defaultValue: value)
    let data = try JSONEncoder().encode(attribute)
    let read = try JSONDecoder().decode(Schema.Attribute.self, from: data)
    #expect(read.defaultValue == value, "\(String(decoding: data, as: UTF8.self))")
    #expect(read == attribute)
  }

  @Test func changesAreRemappedAndInverted() {
    let old = Fixtures.temporary(1)
    let new = Fixtures.permanent(1)
    let film = Fixtures.snapshot(["sequel": .link(old)], identifier: old)
    let before = Fixtures.snapshot([:], identifier: Fixtures.permanent(2))
    let after = Fixtures.snapshot(["similar": .links([old])], identifier: Fixtures.permanent(2))
    let changes = ChangeSet(
      inserted: [film],
      updated: [RecordUpdate(before: before, after: after)],
      deleted: [Fixtures.snapshot([:], identifier: Fixtures.permanent(3))]
    )
    let remapped = changes.remapped([old: new])
    #expect(remapped.inserted[0].persistentIdentifier == new)
    #expect(remapped.inserted[0]["sequel"] == .link(new))
    #expect(remapped.updated[0].after["similar"] == .links([new]))
    #expect(changes.remapped([:]) == changes)
    #expect(changes.inverse.inverse == changes)
    #expect(changes.inverse.deleted == changes.inserted)
    #expect(changes.count == 3 && !changes.isEmpty && ChangeSet().isEmpty)
    #expect(changes.updated[0].changedSlots == [7])
  }
}

/// A film and its identifiers.
enum Fixtures {
  static let entity = Schema.Entity(
    "Film",
    attributes: [
      .init("title", .text), .init("year", .integer), .init("rating", .number),
      .init("gross", .decimal), .init("seen", .boolean), .init("released", .date),
      .init("sequel", .link("Film")), .init("similar", .links("Film")),
    ]
  )

  static func temporary(_ number: UInt64) -> PersistentIdentifier {
    IdentifierScope(store: nil, entity: "Film").temporaryIdentifier(number, context: 1)
  }

  static func permanent(_ number: Int) -> PersistentIdentifier {
    IdentifierScope(store: "store", entity: "Film").identifier(number: number)
  }

  static func snapshot(
    _ values: [String: Value],
    identifier: PersistentIdentifier = permanent(1)
  ) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: entity.layout,
      orderedValues: entity.fields.map { values[$0.name] ?? .null }
    )
  }
}
