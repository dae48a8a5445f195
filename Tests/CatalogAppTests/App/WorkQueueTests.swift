import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// The order in which the session's thread gets its work.
@Suite struct WorkQueueTests {
  private func job(_ step: WorkQueue.Step) throws -> WorkQueue.Job {
    guard case .perform(let job) = step else { throw ExpectedJob() }
    return job
  }

  private struct ExpectedJob: Error {}

  private static let counting =
    WorkQueue.Job.Work.perform(.ask(AnyQuestion(CountMatches(text: "a", row: 0))))

  private static func reading(_ rows: Range<Int>) -> WorkQueue.Job.Work {
    .perform(.ask(AnyQuestion(ReadRows(rows: rows))))
  }

  @Test func countingMatchesWaitsForOtherWork() throws {
    let queue = WorkQueue()
    let counting = queue.add(Self.counting, seeing: ScreenFacts()).number
    let reading = queue.add(Self.reading(0..<9), seeing: ScreenFacts()).number
    let first = try job(queue.next(until: .distantPast))
    #expect(first.number == reading)
    queue.finish(first, nil)
    #expect(try job(queue.next(until: .distantPast)).number == counting)
    #expect(!queue.isStopRequested)
    _ = queue.add(Self.reading(9..<18), seeing: ScreenFacts())
    #expect(queue.isStopRequested, "counting yields to later work")
  }

  @Test func aStoppedCountRunsAgainAfterTheOtherWork() throws {
    let queue = WorkQueue()
    let number = queue.add(Self.counting, seeing: ScreenFacts()).number
    let counting = try job(queue.next(until: .distantPast))
    let reading = queue.add(Self.reading(0..<9), seeing: ScreenFacts()).number
    queue.finish(counting, nil)
    #expect(queue.takeAnswers().isEmpty)
    let next = try job(queue.next(until: .distantPast))
    #expect(next.number == reading)
    queue.finish(next, nil)
    #expect(queue.takeAnswers().map(\.job) == [reading])
    #expect(try job(queue.next(until: .distantPast)).number == number)
  }

  /// The count was yielding to the other work when that was stopped.
  @Test func aRunningCountGoesOnAfterAStop() throws {
    let queue = WorkQueue()
    let number = queue.add(Self.counting, seeing: ScreenFacts()).number
    let counting = try job(queue.next(until: .distantPast))
    let reading = queue.add(Self.reading(0..<9), seeing: ScreenFacts()).number
    queue.stop()
    queue.finish(counting, nil)
    let next = try job(queue.next(until: .distantPast))
    #expect(next.number == reading && queue.isStopRequested)
    queue.finish(next, nil)
    #expect(queue.takeAnswers().map(\.job) == [reading])
    #expect(try job(queue.next(until: .distantPast)).number == number)
    #expect(!queue.isStopRequested)
  }

  /// Formerly the count began and stopped again for ever.
  @Test func aCountThatWaitsDuringAStopRunsOnce() throws {
    let queue = WorkQueue()
    let number = queue.add(Self.counting, seeing: ScreenFacts()).number
    queue.stop()
    let counting = try job(queue.next(until: .distantPast))
    #expect(!queue.isStopRequested, "no key waits for it")
    queue.finish(counting, nil)
    #expect(queue.takeAnswers().map(\.job) == [number])
    guard case .pause = queue.next(until: .distantPast) else {
      Issue.record("the count runs again")
      return
    }
  }
}
