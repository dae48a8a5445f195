import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import CatalogApp

/// Scripts that print no notes make neither them nor the names of steps, until one is undone.
@Suite struct SilentStepsTests {
  private func lines(_ text: String, echoing: Bool, undoing count: Int) throws -> [String] {
    let services = try StoppedWorkTests.services(count: 3)
    let session = try StoppedWorkTests.session(services, "items.json")
    _ = try session.perform("field add data:json")
    var output: [String] = []
    let runner = ScriptRunner(
      session: session,
      printer: { ResultPrinter($0, isTerminal: false) { output.append($0) } },
      complain: { output.append("error: \($0)\n") },
      echoesNotes: echoing
    )
    var pieces = [text]
    try runner.run { pieces.isEmpty ? [] : Array(pieces.removeFirst().utf8) }
    for _ in 0..<count {
      guard case .done(let name) = try session.perform("undo") else { continue }
      output.append(name + "\n")
    }
    return output
  }

  @Test func stepsAreNamedWhenTheyAreUndone() throws {
    let script = """
      set where number = 1 name=first
      set where number = 1 data='{"a": 1, "b": 2}'
      set where number = 1 data='{"a": 3}'
      set where number > 1 name=x number=9
      """
    let echoed = try lines(script, echoing: true, undoing: 0)
    let undone = try lines(script, echoing: false, undoing: 4)
    #expect(echoed.count == 4 && undone.count == 4)
    for (told, name) in zip(echoed, undone.reversed()) {
      // `set name of …` and `undone: set name of …`, with identifiers that differ.
      let words = told.split(separator: " ").prefix(2)
      #expect(name.contains(words.joined(separator: " ")), "\(told) \(name)")
    }
    #expect(undone[0].contains("set name, number of 2 records"), "\(undone)")
    #expect(undone[2].contains("set data of") && undone[2].contains("(first)"), "\(undone)")
    #expect(undone[3].contains("(item 1)"), "\(undone)")
  }

  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  /// Nobody in the program observes them, and the first one takes a while.
  @Test func savesOfASessionPostNoNotifications() throws {
    let services = try StoppedWorkTests.services(count: 3)
    let session = try StoppedWorkTests.session(services, "items.json")
    let counter = Counter()
    let observers = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: session.context, queue: nil) {
        _ in
        counter.count.add(1, ordering: .relaxed)
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    _ = try session.perform("set where number = 1 name=x")
    _ = try session.perform("save")
    #expect(counter.count.load(ordering: .relaxed) == 0)
    session.context.postsNotifications = true
    _ = try session.perform("set where number = 1 name=y")
    _ = try session.perform("save")
    #expect(counter.count.load(ordering: .relaxed) == 2)
  }
}
