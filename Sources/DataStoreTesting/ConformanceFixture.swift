import Foundation
import OpenSwiftData

/// The schema and the records that the cases use.
enum Fixture {
  static let film = "Film"
  static let person = "Person"

  static let schema = Schema(
    Schema.Entity(
      film,
      attributes: [
        .init("serial", .integer),
        .init("title", .text, isOptional: false),
        .init("year", .integer, defaultValue: .integer(2000)),
        .init("rating", .number),
        .init("gross", .decimal),
        .init("seen", .boolean),
        .init("released", .date),
        .init("added", .datetime),
        .init("code", .uuid, isUnique: true),
        .init("notes", .json),
        .init("director", .link(person)),
        .init("cast", .links(person)),
      ]
    ),
    Schema.Entity(
      person,
      attributes: [
        .init("name", .text, isOptional: false, isUnique: true), .init("debut", .link(film)),
      ]
    )
  )

  static func entity(_ name: String) -> Schema.Entity {
    schema.entitiesByName[name] ?? Schema.Entity(name, attributes: [])
  }

  /// A new record with a temporary identifier; the number distinguishes such records.
  static func new(
    _ entityName: String,
    _ number: Int,
    _ values: [String: Value] = [:],
    in schema: Schema = Fixture.schema
  ) -> DefaultSnapshot {
    let entity = schema.entitiesByName[entityName] ?? Schema.Entity(entityName, attributes: [])
    return DefaultSnapshot(
      persistentIdentifier: temporary(entityName, number),
      layout: entity.layout,
      orderedValues: entity.fields.map { values[$0.name] ?? $0.defaultValue }
    )
  }

  static func temporary(_ entityName: String, _ number: Int) -> PersistentIdentifier {
    IdentifierScope(store: nil, entity: entityName)
      .temporaryIdentifier(UInt64(number), context: 0xC0FF)
  }

  static func title(_ title: String, _ values: [String: Value] = [:]) -> [String: Value] {
    values.merging(["title": .text(title)]) { first, _ in first }
  }

  static func decimal(_ text: String) -> Value {
    Decimal(string: text).map { .decimal($0) } ?? .null
  }

  static func date(_ text: String) -> Value {
    CalendarDate(text).map { .date($0) } ?? .null
  }

  static func moment(_ text: String) -> Value {
    Timestamp.date(from: text).map { .datetime($0) } ?? .null
  }

  static func uuid(_ number: Int) -> Value {
    .uuid(UUID(high: 0xA000_0000_0000_4000, low: 0x8000_0000_0000_0000 | UInt64(number)))
  }

  /// Values of each attribute of a film, from which tests and filters choose.
  static let pool: [String: [Value]] = [
    "title": ["Up", "up", "Upward", "", "Amélie", "AMELIE", "Ame\u{301}lie", "Ça", "100% *?", "東京"]
      .map { .text($0) },
    "year": [.null, .integer(1999), .integer(2009), .integer(-5), .integer(.max)],
    "rating": [.null, .number(8.5), .number(-0.25), .number(2009), .number(1e300)],
    "gross": [.null, decimal("735.1"), decimal("0.1"), decimal("-12"), decimal("735.10")],
    "seen": [.null, .boolean(true), .boolean(false)],
    "released": [.null, date("2009-05-29"), date("1895-12-28"), date("2009-05-30")],
    "added": [.null, moment("2020-01-01T00:00:00Z"), moment("2020-01-01T00:00:00.5Z")],
    "notes": [.null, .json("{\"a\":[1,2]}"), .json("[]"), .json("\"text\"")],
  ]

  /// A store with these films in it.
  static func fill(_ store: any QueryableStore, films: [[String: Value]]) throws
    -> [PersistentIdentifier]
  {
    let inserted = films.enumerated().map { new(film, $0.offset + 1, $0.element) }
    let result = try store.commit(ChangeSet(inserted: inserted), author: nil)
    return inserted.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
  }

  /// Sixty films with all values of the pool, the same every time.
  ///
  /// They are not compared with what is read back, so a store may round moments to seconds.
  static func mixedFilms() -> [[String: Value]] {
    (0..<60).map { number in
      var values: [String: Value] = ["serial": .integer(Int64(number))]
      for (place, name) in pool.keys.sorted().enumerated() {
        let choices = pool[name] ?? []
        values[name] = choices[(number / (place + 1) + number) % choices.count]
      }
      values["code"] = number % 3 == 0 ? .null : uuid(number)
      return values
    }
  }
}

extension DefaultSnapshot {
  /// The same record with other values.
  func with(_ values: [String: Value]) -> DefaultSnapshot {
    var copy = self
    for (slot, name) in layout.names.enumerated() {
      if let value = values[name] { copy.orderedValues[slot] = value }
    }
    return copy
  }
}

/// Calls with the arguments that the cases use most.
extension QueryableStore {
  func all(_ entityName: String = Fixture.film) throws -> [DefaultSnapshot] {
    try snapshots(matching: Query(entityName))
  }

  func one(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try snapshots(for: [identifier])[identifier]
  }

  @discardableResult
  func update(_ identifier: PersistentIdentifier, _ values: [String: Value], author: String? = nil)
    throws -> CommitResult
  {
    guard let before = try one(identifier) else {
      throw PersistenceError(.unknownRecord, "record \(identifier) not found")
    }
    let update = RecordUpdate(before: before, after: before.with(values))
    return try commit(ChangeSet(updated: [update]), author: author)
  }
}

extension QueryableStore {
  /// The transactions after a token; none if the store declares no history.
  func history(after token: Int64?) throws -> [Transaction] {
    try (self as? any HistoryKeepingStore)?.transactions(after: token, touching: nil) ?? []
  }
}
