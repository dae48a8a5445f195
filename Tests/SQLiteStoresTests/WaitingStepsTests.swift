import OpenSwiftData
import Testing

@testable import SQL
@testable import SQLiteStores

/// How often statements are tried that wait for values of other ones.
@Suite struct WaitingStepsTests {
  private static let count = 300

  /// Numbered updates that all wait.
  private func waiting(_ numbers: some Sequence<Int>) -> WaitingSteps<SQLiteFailure> {
    let scope = IdentifierScope(store: "s", entity: "t")
    var waiting = WaitingSteps<SQLiteFailure>()
    for number in numbers {
      let step = CommitPlan.Step(
        action: .update,
        identifier: scope.identifier(parsing: "\(number)"),
        statement: "\(.integer(Int64(number)))"
      )
      waiting.add(step, SQLiteFailure(code: 2067, description: "not unique"))
    }
    return waiting
  }

  private static let notUnique = SQLiteFailure(code: 2067, description: "not unique")

  /// Runs updates that give each record the value of another one, or none at all.
  private func run(_ values: [(former: Int, new: Int)], in order: some Sequence<Int>) throws -> (
    isDone: Bool, attempts: Int, releases: Int
  ) {
    var waiting = waiting(order)
    var holders = Set(values.map(\.former))
    var released: Set<Int> = []
    var (attempts, releases) = (0, 0)
    func number(_ step: CommitPlan.Step) -> Int { Int(step.identifier.description) ?? -1 }
    let failed = try waiting.run { step in
      attempts += 1
      let value = values[number(step)]
      guard !holders.contains(value.new) else { return Self.notUnique }
      if !released.contains(number(step)) { holders.remove(value.former) }
      holders.insert(value.new)
      return nil
    } _: { step in
      releases += 1
      released.insert(number(step))
      holders.remove(values[number(step)].former)
      return true
    }
    return (failed == nil, attempts, releases)
  }

  @Test func recordsThatWantTheSameValueAreRefusedSoon() throws {
    // The first number is that of a record that keeps the value.
    let values = [(former: 0, new: -1)] + (1..<Self.count).map { (former: $0, new: 0) }
    let result = try run(values, in: 1..<Self.count)
    #expect(!result.isDone && result.attempts <= 4 * Self.count, "\(result)")
  }

  @Test func manyExchangesTakeFewAttempts() throws {
    let values = (0..<Self.count).map { (former: $0, new: $0 ^ 1) }
    let result = try run(values, in: 0..<Self.count)
    #expect(result.isDone && result.attempts <= 4 * Self.count, "\(result)")
  }

  /// In a chain each record takes the value of the next one.
  @Test(arguments: [1, 2, 3] as [UInt64]) func aChainInAnyOrderTakesFewAttempts(seed: UInt64) throws
  {
    var random = SystemLikeGenerator(state: seed)
    let values = (0..<Self.count).map { (former: $0, new: $0 + 1) }
    for order in [
      Array(0..<Self.count), (0..<Self.count).reversed(), (0..<Self.count).shuffled(using: &random),
    ] {
      let result = try run(values, in: order)
      #expect(result.isDone && result.attempts <= 12 * Self.count, "seed \(seed): \(result)")
    }
    // In an order that ends soon no record needs other values in between.
    #expect(try run(values, in: 0..<Self.count).releases == 0)
  }

  private struct SystemLikeGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }
}
