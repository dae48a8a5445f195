import CatalogApp
import OpenSwiftData
import Testing

/// Texts of megabytes on the screen.
@Suite struct LongTextTests {
  /// The shortest time of two keys in the details of a record with a long text.
  private func time(_ text: String) throws -> Duration {
    let script = try ScreenFixture.numbered(3).script
    let context = script.session.context
    let first = try context.fetchIdentifiers(matching: Query("Item"))[0]
    try context.records(for: [first])[0].set(.text(text), for: "name")
    try context.save()
    let screen = ScreenFixture(script, size: Size(columns: 120, rows: 40))
    try screen.press("v v")
    #expect(screen.text.contains("long text"), "\(screen.text)")
    let times = try (0..<5).map { _ in try ContinuousClock().measure { try screen.press("j k") } }
    return times.min() ?? .zero
  }

  @Test(arguments: ["long text ", "long text é\n"]) func aLongTextIsNotReadToItsEnd(part: String)
    throws
  {
    let short = try time(String(repeating: part, count: 10_000))
    let long = try time(String(repeating: part, count: 800_000))
    #expect(long < short * 8 + .milliseconds(5), "\(long) and \(short)")
  }

  @Test func theLinesOfATextAreShown() throws {
    let fixture = try ScreenFixture.numbered(1, size: Size(columns: 120, rows: 24))
    let context = fixture.script.session.context
    let first = try context.fetchIdentifiers(matching: Query("Item"))[0]
    try context.records(for: [first])[0].set(.text("one\r\n\ntwo \u{301}x\n"), for: "name")
    try context.save()
    let screen = ScreenFixture(fixture.script, size: Size(columns: 120, rows: 24))
    try screen.press("v")
    let lines = screen.lines.map { $0.drop { $0 != "│" } }.filter { !$0.isEmpty }
    let start = try #require(lines.firstIndex { $0.hasSuffix("one") })
    #expect(lines[start + 2].contains("two"), "\(screen.text)")
  }
}
