import DataStoreTesting
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Updates of many records of another program's table, which share a statement if that makes no difference.
@Suite struct SharedStatementTests {
  /// A trigger that does nothing, so that each record gets a statement of its own.
  private static let trigger: SQLText =
    "CREATE TRIGGER idle AFTER UPDATE ON t WHEN 0 BEGIN SELECT 1; END"

  private static let table: SQLText =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INT, c REAL, d)"

  private func rows(_ path: String) throws -> [[SQLValue]] {
    try otherProgram(path).rows(
      "SELECT id, quote(a), quote(b), quote(c), quote(d), typeof(d) FROM t ORDER BY id"
    )
  }

  private func fill(_ path: String, count: Int) throws {
    try otherProgram(path).run(
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(.integer(Int64(count)))) "
        + "INSERT OR IGNORE INTO t (id, a, b, c, d) SELECT i, 'a' || i, i, i / 2.0, i FROM n"
    )
  }

  @Test(arguments: ["SELECT 1", "CREATE TABLE p (id INTEGER PRIMARY KEY REFERENCES t)"])
  func recordsThatGetTheSameValueShareStatements(other: String) throws {
    let folder = try TestFolder()
    let path = try folder.database("t.db", Self.table.text, other)
    try fill(path, count: 1000)
    let store = try SQLiteStore(at: path)
    let changes = try ChangeSet(updated: store.all("t").map { $0.changing("c", to: .number(-5)) })
    #expect(try store.statements(of: changes).count == 3)
    _ = try store.commit(changes, author: nil)
    #expect(try rows(path).allSatisfy { $0[3] == .text("-5.0") })
    #expect(try store.all("t") == changes.updated.map(\.after))
    try otherProgram(path).run(Self.trigger)
    #expect(try store.statements(of: changes.inverse).count == 1000)
  }

  @Test func theRecordThatTheDatabaseRefusesIsNamed() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INT, c REAL, d, CHECK (b <> 7 OR c < 9))"
    )
    try fill(path, count: 20)
    let store = try SQLiteStore(at: path)
    let former = try rows(path)
    let changes = try ChangeSet(updated: store.all("t").map { $0.changing("c", to: .number(9)) })
    let error = #expect(throws: PersistenceError.self) { try store.commit(changes, author: nil) }
    #expect(error?.message.hasPrefix("t 7: the database refused the record") == true)
    #expect(try rows(path) == former)
  }

  /// A save in two databases, of which one has the trigger.
  @Test func savesAreTheSameAsRecordByRecord() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      var places = random
      let shared = try outcome(&random, isGuarded: false)
      let single = try outcome(&places, isGuarded: true)
      print(
        shared.message ?? "saved \(shared.history?.updated.count ?? 0) \(shared.rewritten.count)"
      )
      try #require(shared == single, "seed \(seed), round \(round)")
    }
  }

  /// What became of a random save.
  private struct Outcome: Equatable {
    var message: String?
    var rows: [[SQLValue]] = []
    var records: [DefaultSnapshot] = []
    var rewritten: [DefaultSnapshot] = []
    var history: ChangeSet?
  }

  private func outcome(_ random: inout SeededGenerator, isGuarded: Bool) throws -> Outcome {
    let folder = try TestFolder()
    let path = try folder.database("t.db", randomTable(&random))
    try fill(path, count: 30)
    if random.below(4) == 0 {
      try otherProgram(path).run("CREATE UNIQUE INDEX parts ON t (b, c)")
    }
    if random.below(6) == 0 {
      try otherProgram(path).run("CREATE UNIQUE INDEX letters ON t (lower(a)) WHERE id > 15")
    }
    if isGuarded { try otherProgram(path).run(Self.trigger) }
    let store = try SQLiteStore(at: path)
    let changes = try randomChanges(
      store.all("t"),
      store.schema.entity(named: "t"),
      &random
    )
    if random.below(3) == 0 {
      let (column, id) = (random.pick(["a", "b", "c", "d"]), random.below(40))
      try otherProgram(path).run("UPDATE OR IGNORE t SET \(column) = 77 WHERE id = \(id)")
    }
    if random.below(8) == 0 {
      try otherProgram(path).run("DELETE FROM t WHERE id = \(random.below(40))")
    }
    var outcome = Outcome()
    do {
      outcome.rewritten = try store.commit(changes, author: nil).reregistered.sorted {
        $0.persistentIdentifier < $1.persistentIdentifier
      }
      outcome.history = try store.transactions(after: nil, touching: nil).last?.changes
    } catch let error as PersistenceError {
      outcome.message = error.message.replacing(path, with: "t.db")
    }
    outcome.rows = try rows(path)
    outcome.records = try store.all("t").map { $0.anonymous }
    outcome.rewritten = outcome.rewritten.map(\.anonymous)
    outcome.history = outcome.history.map { changes in
      ChangeSet(
        inserted: changes.inserted.map(\.anonymous),
        updated: changes.updated.map {
          RecordUpdate(before: $0.before.anonymous, after: $0.after.anonymous)
        },
        deleted: changes.deleted.map(\.anonymous)
      )
    }
    return outcome
  }

  private func randomTable(_ random: inout SeededGenerator) -> String {
    let keys = [
      "id INTEGER PRIMARY KEY", "id INT PRIMARY KEY NOT NULL", "id TEXT PRIMARY KEY NOT NULL",
    ]
    let types = ["", "TEXT", "INT", "REAL", "NUMERIC", "TEXT COLLATE NOCASE", "BLOB", "BOOLEAN"]
    let rules = [
      "", "", "", "UNIQUE", "NOT NULL", "CHECK (%@ <> 5)", "NOT NULL ON CONFLICT REPLACE DEFAULT 3",
    ]
    var columns = [random.pick(keys)]
    for name in ["a", "b", "c", "d"] {
      let type = random.pick(types)
      let rule = random.pick(rules)
      columns.append("\(name) \(type) \(rule.replacing("%@", with: name))")
    }
    if random.below(5) == 0 { columns.append("e AS (b || c)") }
    return "CREATE TABLE t (\(columns.joined(separator: ", ")))"
      + (random.below(4) == 0 ? " WITHOUT ROWID" : "")
  }

  /// Sets one or two fields of some records, mostly to the same values.
  private func randomChanges(
    _ records: [DefaultSnapshot],
    _ entity: Schema.Entity,
    _ random: inout SeededGenerator
  ) throws -> ChangeSet {
    let values: [Value] = [
      .integer(5), .integer(3), .integer(40), .number(0.5), .text("y"), .boolean(false), .number(5),
      .number(2.5), .number(-0.0), .text("5"),
      .text("5.0"), .text("x"), .text("A3"), .boolean(true), .text(" 7 "),
    ]
    var updates: [RecordUpdate] = []
    let names = ["a", "b", "c", "d"].shuffled(using: &random).prefix(1 + random.below(2))
    let most = random.below(records.count + 1)
    let chosen = try names.map { name in
      let field = try entity.attribute(named: name)
      return (
        name, random.pick(values.filter { random.below(60) == 0 || field.accepts($0) } + [.null])
      )
    }
    let isComputed = random.below(3) == 0
    for record in records.shuffled(using: &random).prefix(most) {
      var update = RecordUpdate(before: record, after: record)
      for (name, value) in chosen {
        let value = isComputed || random.below(99) == 0 ? random.pick(values) : value
        update.after = update.after.changing(name, to: value).after
      }
      if !update.changedSlots.isEmpty { updates.append(update) }
    }
    return ChangeSet(updated: updates)
  }
}

extension DefaultSnapshot {
  /// An update of one field.
  fileprivate func changing(_ name: String, to value: Value) -> RecordUpdate {
    var after = self
    if let slot = layout.slot(of: name) { after.orderedValues[slot] = value }
    return RecordUpdate(before: self, after: after)
  }

  /// The record without the store.
  fileprivate var anonymous: DefaultSnapshot {
    var record = self
    let identifier = persistentIdentifier
    record.persistentIdentifier = IdentifierScope(store: "s", entity: identifier.entityName)
      .identifier(parsing: identifier.description)
    return record
  }
}
