@testable import CatalogApp
import OpenSwiftData
import Testing

/// The list of `:problems`, and white space in cells.
@Suite struct ProblemsScreenTests {
  /// Two entities; two records of the second one have problems.
  private static func screen() throws -> ScreenFixture {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Studio")
    fixture.services.files["r.txt"] = Array("Film title /[A-Z].*/ : begins small".utf8)
    try fixture.run(
      """
      insert Studio name=Pixar
      insert Film title=Up notes=1
      insert Film title=soul notes=2
      insert Film title="Coco " notes='" "'
      save
      """
    )
    return ScreenFixture(fixture, size: Size(columns: 100, rows: 20))
  }

  @Test func enterGoesToTheRecordAndTheField() throws {
    let screen = try Self.screen()
    try screen.press(#": "problems r.txt" Enter"#)
    #expect(screen.text.contains("3 problems · 1/3"), "\(screen.text)")
    #expect(screen.text.contains("Film.title  begins small"), "\(screen.text)")
    try screen.press("j j Enter")
    #expect(screen.status.contains("Film 2/2"), "\(screen.text)")
    #expect(screen.place.contains("notes") && screen.text.contains("row 3"), "\(screen.text)")
    try screen.press(#": "check r.txt" Enter Enter"#)
    #expect(screen.place.contains("title") && screen.text.contains("row 2"), "\(screen.text)")
  }

  /// What was edited is gone when the list opens again.
  @Test func theListIsMadeAgainWhenItOpens() throws {
    let screen = try Self.screen()
    try screen.press(#": "check r.txt" Enter Enter c Soul Enter : "check r.txt" Enter"#)
    #expect(screen.message == "no problems", "\(screen.text)")
  }

  @Test(arguments: ["validate", "lint", "wrong", "duplicates"])
  func thePaletteFindsIt(word: String) throws {
    let screen = try Self.screen()
    try screen.press("C-p \(word)")
    let selected = screen.lines.first { $0.hasPrefix("  >") } ?? ""
    #expect(selected.contains(":problems"), "\(screen.text)")
  }

  @Test func whiteSpaceAtTheEndsOfACellIsADimDot() throws {
    let screen = try Self.screen()
    try screen.press("Tab")
    #expect(screen.text.contains("Coco·"), "\(screen.text)")
    let canvas = screen.runner.canvas
    let row = try #require(canvas.plainLines().firstIndex { $0.contains("Coco·") })
    let dot = try #require((0..<100).first { canvas.text(at: Point(x: $0, y: row)) == "·" })
    #expect(canvas.role(at: Point(x: dot, y: row)) == .dim)
    #expect(canvas.role(at: Point(x: dot - 1, y: row)) == .normal)
  }

  @Test(arguments: [
    (" a", "·a", 1, 0), ("a  ", "a··", 0, 2), ("  ", "··", 2, 0), ("\u{3000}a\u{A0}", "··a·", 2, 1),
  ])
  func edgesAreMarked(text: String, expected: String, leading: Int, trailing: Int) {
    let edged = DisplayText(text).edged
    #expect(edged?.text.plain == expected && edged?.leading == leading)
    #expect(edged?.trailing == trailing && edged?.text.width == DisplayText(text).width)
    #expect(DisplayText("a b").edged == nil && DisplayText("").edged == nil)
  }
}
