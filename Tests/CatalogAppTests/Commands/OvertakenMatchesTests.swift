import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// Commands with a predicate while another program saves, at many moments of the command.
@Suite struct OvertakenMatchesTests {
  /// The last record, which the other program changes.
  private static let number = StoppedWorkTests.count

  /// Runs a body at one of the moments at which work can be stopped.
  ///
  /// - Returns: The number of moments that there were.
  private func perform(
    _ line: String,
    _ session: Session,
    at moment: Int,
    _ body: () throws -> Void
  ) -> Int {
    let asked = Atomic(0)
    withoutActuallyEscaping(body) { body in
      nonisolated(unsafe) let body = body
      Interruption.allowed(by: {
        if asked.add(1, ordering: .relaxed).newValue == moment {
          Interruption.ignored { #expect(throws: Never.self) { try body() } }
        }
        return false
      }) {
        do {
          _ = try session.perform(line)
        } catch {
          // A command for each row may have read them from a pipe, and is not performed again.
          #expect(line.hasPrefix("each"))
          #expect("\(error)".hasSuffix("nothing was changed; try again"), "\(error)")
          #expect(!session.context.hasChanges)
        }
      }
    }
    return asked.load(ordering: .relaxed)
  }

  @Test(
    arguments: ["items.json", "items.catlog"],
    [
      "set where number <= \(number) name=mine", "delete where number <= \(number)",
      "set where \"id\" != \"\" and number <= \(number) name=mine",
      "each limits.csv set where number <= $limit name=mine",
    ]
  )
  func noRecordIsChangedThatMatchesNoLonger(location: String, line: String) throws {
    var (moment, count, step) = (0, 1, 1)
    while moment <= count {
      let services = try StoppedWorkTests.services()
      let first = try StoppedWorkTests.session(services, location)
      let second = try services.session(on: location)
      try Data("limit\n\(Self.number)\n".utf8)
        .write(to: URL(fileURLWithPath: services.file("limits.csv")))
      count = perform(line, first, at: moment) {
        _ = try second.perform("set where number = \(Self.number) number=7000 name=theirs")
        _ = try second.perform("save")
      }
      if moment == 0 {
        // Nothing was saved in between: this counts the moments.
        try #require(count > 2)
        step = max(1, count / testRounds(8, withoutSeed: 4))
      } else {
        // A conflict is as good.
        _ = try? first.perform("save")
        let stored = try services.session(on: location).context
          .fetchSnapshots(matching: Query("Item")).filter { $0["number"] == .integer(7000) }
        #expect(stored.map { $0["name"] } == [.text("theirs")], "moment \(moment) of \(count)")
      }
      moment += step
    }
  }
}
