import CatalogApp
import OpenSwiftData
import Testing

/// The user's editor for a field of the marked records: a line for each of them.
@Suite struct MarkedLinesTests {
  private let screen: ScreenFixture

  init() throws {
    screen = try ScreenFixture.films()
    try screen.press("s")
  }

  /// Opens the editor for a column of all records and returns its text.
  private func opened(_ keys: String) throws -> String {
    try screen.press(keys)
    return try #require(edited())
  }

  private func edited() -> String? {
    for case .edit(let text, _) in screen.runner.takeRequests() { return text }
    return nil
  }

  private func titles() throws -> [String] {
    let context = screen.script.session.context
    return try context.fetchSnapshots(matching: Query("Film", sort: [SortKey("title")]))
      .map { $0.orderedValues[0].text }
  }

  @Test func eachRecordHasItsLine() throws {
    let before = try titles()
    let text = try opened("* E")
    #expect(text == before.map { $0 + "\n" }.joined())
    let new = text.replacing("Up\n", with: "Oben\n")
    screen.runner.finishEditing(new)
    #expect(screen.text.contains("set title of 1 record?"), "\(screen.text)")
    #expect(screen.text.contains("\"Up\" → \"Oben\""), "\(screen.text)")
    #expect(screen.text.contains("\(before.count - 1) records stay as before"))
    #expect(try titles() == before, "nothing has changed before the answer")
    try screen.press("y")
    #expect(screen.message == "set title of 1 record", "\(screen.text)")
    #expect(try Set(titles()) == Set(before).subtracting(["Up"]).union(["Oben"]))
    try screen.press("u")
    #expect(try titles() == before, "one step")
  }

  @Test func severalRecordsGetValuesOfTheirOwnInOneStep() throws {
    let before = try titles()
    let text = try opened("* E")
    screen.runner.finishEditing(text.replacing("\n", with: "!\n"))
    #expect(screen.text.contains("set title of \(before.count) records?"), "\(screen.text)")
    try screen.press("y")
    #expect(try titles() == before.map { $0 + "!" })
    try screen.press("u")
    #expect(try titles() == before)
  }

  /// An editor that is a program writes the same lines each time.
  @Test func theSameWrongLinesEndIt() throws {
    let before = try titles()
    let wrong = "a\nb\n"
    _ = try opened("* E")
    screen.runner.finishEditing(wrong)
    _ = try #require(edited())
    screen.runner.finishEditing(wrong)
    #expect(edited() == nil)
    #expect(screen.message.hasPrefix("no change: \(before.count) lines expected"), "\(screen.text)")
    #expect(try titles() == before)
  }

  @Test func noAnswerChangesNothing() throws {
    let before = try titles()
    let text = try opened("* E")
    screen.runner.finishEditing(text.replacing("Up\n", with: "Oben\n"))
    try screen.press("Escape")
    #expect(try titles() == before && !screen.script.session.context.hasChanges)
  }

  @Test(arguments: ["", "one more\n"]) func anotherNumberOfLinesIsEditedAgain(more: String) throws {
    let before = try titles()
    let text = try opened("* E")
    let wrong =
      more.isEmpty
      ? String(text.split(separator: "\n").dropLast().joined(separator: "\n")) + "\n" : text + more
    screen.runner.finishEditing(wrong)
    let again = try #require(edited())
    let count = before.count + (more.isEmpty ? -1 : 1)
    #expect(
      again == "# \(before.count) lines expected, one for each record, found \(count)\n" + wrong
    )
    // The reason is not a line.
    screen.runner.finishEditing(
      (again.split(separator: "\n").first.map(String.init) ?? "") + "\n"
        + text.replacing("Up\n", with: "Oben\n")
    )
    #expect(screen.text.contains("\"Up\" → \"Oben\""), "\(screen.text)")
    try screen.press("Escape")
    #expect(try titles() == before)
  }

  @Test func aWrongValueIsNamedAtItsLine() throws {
    let text = try opened("l * E")
    var lines = text.split(separator: "\n").map(String.init)
    lines[1] = "soon"
    screen.runner.finishEditing(lines.map { $0 + "\n" }.joined())
    let again = try #require(edited()).split(separator: "\n").map(String.init)
    #expect(again.count == lines.count + 1)
    #expect(again[0] == lines[0] && again[2] == "soon")
    #expect(again[1].hasPrefix("# \"soon\""), "\(again[1])")
    // Nothing was changed: the editor is left.
    screen.runner.finishEditing(nil)
    #expect(screen.message == "no change" && edited() == nil)
  }

  @Test func anEmptyLineIsAMissingNumber() throws {
    let text = try opened("l * E")
    var lines = text.split(separator: "\n").map(String.init)
    let first = lines[0]
    lines[0] = ""
    screen.runner.finishEditing(lines.map { $0 + "\n" }.joined())
    #expect(screen.text.contains("\"\(first)\" → null"), "\(screen.text)")
    try screen.press("y")
    let again = try opened("E")
    #expect(again.hasPrefix("\n") || again.contains("\n\n") || again.hasSuffix("\n\n"))
  }

  @Test func valuesOfSeveralLinesAreRefused() throws {
    try screen.script.session.context.states(
      for: screen.script.session.context.fetchIdentifiers(matching: Query("Film", limit: 1))
    )[0].set(.text("a\nb"), at: 0)
    try screen.press("* E")
    #expect(edited() == nil)
    #expect(screen.message.contains("has several lines; edit it alone"), "\(screen.message)")
  }
}
