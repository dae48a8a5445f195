import DataStoreTesting
import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import PostgresStores

extension PostgresServerTests {
  /// Saves whose connections are cut.
  @Suite struct OutcomeTests {
    private static let table = """
      CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b text); INSERT INTO t SELECT n, 0, 'x' FROM generate_series(1, 20) n
      """

    private func proxy() throws -> CutProxy {
      let url = try #require(TestServer.url)
      let start = try #require(url.range(of: "host=")?.upperBound)
      return try CutProxy(to: String(url[start...].prefix { $0 != "&" }))
    }

    private func store(_ schema: TestSchema, _ proxy: CutProxy, underLock: Bool = true) throws
      -> PostgresStore
    {
      var configuration = PostgresConfiguration(
        "postgres://tester@127.0.0.1:\(proxy.port)/postgres?sslmode=disable&gssencmode=disable#\(schema.name)"
      )
      configuration.looksUpUnderLock = underLock
      return try PostgresStore(configuration)
    }

    /// Random changes of a few rows.
    private func changes(
      _ store: PostgresStore,
      _ rows: [DefaultSnapshot],
      _ random: inout SeededGenerator
    )
      throws -> ChangeSet
    {
      var changes = ChangeSet()
      let some = rows.shuffled(using: &random)
      for row in some.prefix(Int.random(in: 0...3, using: &random)) {
        changes.updated.append(
          row.update(["a": .integer(Int64.random(in: 1...1_000_000, using: &random))])
        )
      }
      if some.count > 12, Bool.random(using: &random) { changes.deleted = Array(some.suffix(1)) }
      if changes.isEmpty || Bool.random(using: &random) {
        let number = Int64.random(in: 100...1_000_000_000, using: &random)
        changes.inserted = [try store.new("t", 1, ["id": .integer(number), "a": .integer(1)])]
      }
      return changes
    }

    private func expected(_ rows: [DefaultSnapshot], _ changes: ChangeSet) -> Set<[String]> {
      var byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.orderedValues[0], $0) })
      for record in changes.deleted { byKey[record.orderedValues[0]] = nil }
      for record in changes.inserted + changes.updated.map(\.after) {
        byKey[record.orderedValues[0]] = record
      }
      return Set(byKey.values.map { $0.orderedValues.map(\.text) })
    }

    private enum Outcome: Hashable { case saved, refused, unknown }

    /// Saves; the outcome, and whether the rows are as it says.
    private func save(
      _ store: PostgresStore,
      _ direct: PostgresStore,
      _ proxy: CutProxy,
      _ cut: CutProxy.Cut,
      _ random: inout SeededGenerator
    ) throws -> (Outcome, isRight: Bool) {
      // Another address is another store.
      let before = try direct.all("t").map { row in
        let key = row.persistentIdentifier.description
        return row.copy(persistentIdentifier: store.identifier(parsing: key, of: "t"))
      }
      let changes = try changes(store, before, &random)
      var outcome = Outcome.saved
      proxy.set(cut)
      do { _ = try store.commit(changes, author: nil) } catch let error as PersistenceError {
        outcome = error.code == .outcomeUnknown ? .unknown : .refused
      }
      proxy.set(nil)
      proxy.deliver()
      let now = Set(try direct.all("t").map { $0.orderedValues.map(\.text) })
      switch outcome {
      case .saved: return (outcome, now == expected(before, changes))
      case .refused: return (outcome, now == expected(before, ChangeSet()))
      case .unknown: return (outcome, true)
      }
    }

    @Test func cutSavesAreNeitherLostNorDoubled() throws {
      let schema = try TestSchema(Self.table)
      let proxy = try proxy()
      defer { proxy.end() }
      let direct = try schema.open()
      var store = try store(schema, proxy)
      var random = SeededGenerator(seed: SeededGenerator.testSeed)
      var counts: [Outcome: Int] = [:]
      for round in 0..<400 {
        let cut: CutProxy.Cut =
          switch round % 5 {
          case 0: .sending(Int.random(in: 0..<2200, using: &random))
          case 1: .answering(Int.random(in: 0..<1500, using: &random))
          case 2: .commit(Int.random(in: 0..<12, using: &random))
          default: .answer(Int.random(in: 0..<20, using: &random))
          }
        let (outcome, isRight) = try save(store, direct, proxy, cut, &random)
        #expect(isRight, "\(round): \(cut), \(outcome)")
        counts[outcome, default: 0] += 1
        if outcome == .unknown { store = try self.store(schema, proxy) }
      }
      #expect(counts[.saved, default: 0] > 100 && counts[.refused, default: 0] > 50, "\(counts)")
    }

    /// The server has not got COMMIT when the program asks, and would carry it out afterwards.
    @Test func aLateCommitIsNotCarriedOutAfterTheAnswer() throws {
      let schema = try TestSchema(Self.table)
      let proxy = try proxy()
      defer { proxy.end() }
      let (direct, store) = (try schema.open(), try store(schema, proxy))
      var random = SeededGenerator(seed: SeededGenerator.testSeed)
      for _ in 0..<6 {
        let (outcome, isRight) = try save(store, direct, proxy, .late, &random)
        #expect(outcome == .refused && isRight, "\(outcome)")
      }
    }

    /// What a look-up without the lock says is wrong, so that the test above would notice it.
    @Test func aLookWithoutTheLockIsWrong() throws {
      let schema = try TestSchema(Self.table)
      let proxy = try proxy()
      defer { proxy.end() }
      let (direct, store) = (try schema.open(), try store(schema, proxy, underLock: false))
      var random = SeededGenerator(seed: SeededGenerator.testSeed)
      let before = try direct.all("t")
      let new = try store.new(
        "t",
        1,
        ["id": .integer(Int64.random(in: 100...200, using: &random)), "a": .integer(1)]
      )
      proxy.set(.late)
      #expect(throws: PersistenceError.self) {
        try store.commit(ChangeSet(inserted: [new]), author: nil)
      }
      #expect(proxy.deliver() == 1)
      #expect(try direct.all("t").count == before.count + 1)
    }

    @Test func aServerThatStaysAwayLeavesTheOutcomeUnknown() throws {
      let schema = try TestSchema(Self.table)
      let proxy = try proxy()
      let store = try store(schema, proxy)
      var random = SeededGenerator(seed: SeededGenerator.testSeed)
      let changes = try changes(store, store.all("t"), &random)
      proxy.set(.answer(0))
      proxy.end()
      let error = #expect(throws: PersistenceError.self) { try store.commit(changes, author: nil) }
      #expect(error?.code == .outcomeUnknown)
      let second = #expect(throws: PersistenceError.self) { try store.commit(changes, author: nil) }
      #expect(second?.code == .outcomeUnknown)
    }
  }
}
