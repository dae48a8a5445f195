import DataStoreTesting
import StoreTorture
import Testing

/// Databases answer queries as `Query.run(over:of:)` does.
@Suite struct QueryEquivalenceTests {
  @Test(arguments: QueryEquivalence.Owner.allCases)
  func databasesAnswerRandomQueriesAsMemoryDoes(_ owner: QueryEquivalence.Owner) throws {
    let seed = SeededGenerator.testSeed
    let figures = try QueryEquivalence(owner).run(300, seed: seed)
    #expect(figures.tries == 300)
    #expect(figures.wrong == 0, "seed \(seed): \(figures.examples.joined(separator: "\n"))")
  }

  @Test func aMissingRecordIsFound() throws {
    #expect(try QueryEquivalence(.other, isFlawed: true).run(50, seed: 1).wrong > 10)
  }
}
