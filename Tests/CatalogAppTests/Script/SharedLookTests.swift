import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// Lines that were read together share looks at the store.
@Suite struct SharedLookTests {
  private static let count = 300

  /// A session whose edits rely on a look as long as they may.
  private func patient(_ session: Session) -> Session {
    session.looks.life = .seconds(600)
    return session
  }

  /// A runner that passes on what it prints and complains about.
  private func runner(
    _ session: Session,
    flush: @escaping () -> Void = {},
    _ write: @escaping (String) -> Void
  )
    -> ScriptRunner
  {
    ScriptRunner(
      session: session,
      printer: { ResultPrinter($0, isTerminal: false, write: write) },
      complain: { write("error: \($0)\n") },
      keepsGoing: true,
      flush: flush
    )
  }

  @Test(arguments: ["items.json", "items.catlog"])
  func savesBeforeLinesWereReadAreSeen(location: String) throws {
    let services = try StoppedWorkTests.services(count: Self.count)
    let first = patient(try StoppedWorkTests.session(services, location))
    let second = try services.session(on: location)
    var output = ""
    var pieces = [
      "upsert by number number=1 name=mine\n", "upsert by number number=1000 name=mine\n",
    ]
    try runner(first) { output += $0 }.run {
      if pieces.count == 1 {
        _ = try second.perform("insert number=1000 name=theirs")
        _ = try second.perform("save")
      }
      return pieces.isEmpty ? [] : Array(pieces.removeFirst().utf8)
    }
    let updated = "imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted\n"
    #expect(output == updated + updated)
  }

  @Test(arguments: ["items.json", "items.catlog"])
  func commandsThatTellSomethingLookAgain(location: String) throws {
    let services = try StoppedWorkTests.services(count: Self.count)
    let first = patient(try StoppedWorkTests.session(services, location))
    let second = try services.session(on: location)
    var output: [String] = []
    var pieces = [
      "upsert by number number=1 name=mine\ncount\nlist where number = 1000 fields name\n"
    ]
    try runner(first) { line in
      output.append(line)
      guard output.count == 1 else { return }
      #expect(throws: Never.self) {
        _ = try second.perform("insert number=1000 name=theirs")
        _ = try second.perform("save")
      }
    }.run { pieces.isEmpty ? [] : Array(pieces.removeFirst().utf8) }
    #expect(output.dropFirst().joined() == "\(Self.count + 1)\nname\ntheirs\n")
  }

  @Test(arguments: ["items.json", "items.catlog"])
  func conflictsOfSharedLooksAreFoundByTheSave(location: String) throws {
    let services = try StoppedWorkTests.services(count: Self.count)
    let first = patient(try StoppedWorkTests.session(services, location))
    let second = try services.session(on: location)
    var output: [String] = []
    var pieces = ["upsert by number number=1 name=a\nupsert by number number=2 name=mine\nsave\n"]
    try runner(first) { line in
      output.append(line)
      guard output.count == 1 else { return }
      #expect(throws: Never.self) {
        _ = try second.perform("set where number = 2 name=theirs")
        _ = try second.perform("save")
      }
    }.run { pieces.isEmpty ? [] : Array(pieces.removeFirst().utf8) }
    let last = try #require(output.last)
    #expect(last.hasPrefix("error: 3: ") && last.contains("conflict"), "\(output)")
    // Afterwards everything looks again.
    _ = try second.perform("insert number=1000 name=theirs")
    _ = try second.perform("save")
    try first.context.container.refresh()
    #expect(try first.context.fetchCount(matching: Query("Item")) == Self.count + 1)
  }

  @Test func resultsAreWrittenBeforeASave() throws {
    let services = try StoppedWorkTests.services(count: Self.count)
    let first = patient(try StoppedWorkTests.session(services, "items.catlog"))
    var events: [String] = []
    var pieces = ["upsert by number number=1 name=a\nupsert by number number=2 name=b\nsave\n"]
    try runner(first, flush: { if events.last != "flush" { events.append("flush") } }) {
      events.append($0.split(separator: " ").first.map(String.init) ?? "")
    }.run { pieces.isEmpty ? [] : Array(pieces.removeFirst().utf8) }
    let place = try #require(events.firstIndex(of: "saved:"))
    #expect(events[place - 1] == "flush" && events.last == "flush")
    #expect(events.filter { $0 == "imported:" }.count == 2)
  }

  // MARK: Random lines

  /// A line that changes or reads some of the records, or is wrong.
  private static func line(_ keys: [String], using random: inout SeededGenerator) -> String {
    let key = keys.randomElement(using: &random) ?? ""
    let number = Int.random(in: 1...Self.count + 20, using: &random)
    let name = ["a", "\"b c\"", "é", "", "\"x\\ty\""].randomElement(using: &random) ?? ""
    return [
      "set \(key) name=\(name)", "set \(key) name=\(name) number=\(number)",
      "set \(key.prefix(8)) name=\(name)",
      "set Item/\(key) name=\(name)", "SET \(key) {\"name\": \"j\"}", "set \(key) nam=\(name)",
      "set \(key)",
      "set \(key) number=x", "set zzzzzzzz name=\(name)", "set t\(number % 4) name=\(name)",
      "set \(key) name=\(name) expect 1", "set \(key) name=\(name) expect 2",
      "set where number = \(number) name=\(name)",
      "upsert by number number=\(number) name=\(name)",
      "upsert Item by number name=\(name) number=\(number)",
      "upsert by name name=n\(number % 9) number=\(number)", "upsert by number name=\(name)",
      "upsert by id id=\(key) name=\(name)", "upsert by number number=",
      "insert number=\(number) name=\(name)",
      "delete \(key)", "delete where number = \(number)", "undo", "redo",
      "count where name = \(name)x", "show \(key)",
      "duplicate \(key)", "set \(key.uppercased()) name=\(name)", "set \(key)0 name=\(name)",
      "save", "rollback",
      "list where number = \(number) fields number,name", "set \"\(key)\" name=\(name)", "# \(key)",
    ].randomElement(using: &random) ?? ""
  }

  @Test func linesReadTogetherDoTheSameAsOneByOne() throws {
    let seed = SeededGenerator.testSeed
    print("linesReadTogetherDoTheSameAsOneByOne seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let services = try StoppedWorkTests.services(count: Self.count)
    var keys: [String] = []
    do {
      let made = try StoppedWorkTests.session(services, "one.catlog")
      keys = try made.context.fetchIdentifiers(matching: Query("Item")).map(\.description)
      made.close()
    }
    try FileManager.default.copyItem(
      atPath: services.file("one.catlog"),
      toPath: services.file("two.catlog")
    )
    let lines = (0..<600).map { _ in Self.line(Array(keys.prefix(40)), using: &random) }
    var (together, single) = ("", "")
    let one = patient(try services.session(on: "one.catlog"))
    var pieces = [lines.joined(separator: "\n") + "\nlist fields number,name\n"]
    try runner(one) { together += $0 }.run {
      pieces.isEmpty ? [] : Array(pieces.removeFirst().utf8)
    }
    let two = try services.session(on: "two.catlog")
    let runner = runner(two) { single += $0 }
    for (place, line) in (lines + ["list fields number,name"]).enumerated() {
      _ = try runner.run(line, number: place + 1)
    }
    #expect(together.normalized == single.normalized, "seed \(seed)")
  }
}
