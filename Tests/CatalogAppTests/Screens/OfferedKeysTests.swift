import OpenSwiftData
import Testing

@testable import CatalogApp

/// The hint line and the menus offer only what is possible, in the words of the place.
@Suite struct OfferedKeysTests {
  private func hints(_ screen: ScreenFixture) -> String { screen.lines.dropLast().last ?? "" }

  private static func notes() throws -> ScreenFixture {
    let entity = Schema.Entity(
      "Note",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("pos", .json),
        Schema.Attribute("count", .integer, isOptional: false),
        Schema.Attribute("made", .text, isReadOnly: true),
      ]
    )
    let fixture = try ScriptFixture(Schema(entity))
    try fixture.run(#"insert name=A pos='{"x":{"y":1},"z":"two"}' count=1"# + "\nsave")
    return ScreenFixture(fixture)
  }

  /// Keys, hints that appear then, and hints that do not.
  static let cases: [(keys: String, offered: [String], refused: [String])] = [
    ("", ["e edit", "s sort"], ["z fold", "w save"]),
    ("3l", ["/ search"], ["e edit"]),
    (": \"group count\" Enter", ["z fold"], []),
    (": \"group pos.x.y\" Enter", ["Esc clear groups"], ["z fold"]),
    ("l v v j", ["E edit outside", "a add", "d delete", "Space fold"], ["e edit "]),
    ("l v v", ["E edit outside", "a add", "Space fold"], ["e edit ", "d delete"]),
    ("l v v j j", ["e edit", "a add", "d delete"], ["Space fold", "E edit outside"]),
    ("v v G", ["/ search"], ["e edit", "Enter open"]),
    ("e", ["^N null", "^T choose"], []),
    ("l l e", ["^T choose"], ["^N null"]),
    ("l c", ["^N null"], ["^T choose"]),
    ("Enter", ["^T choose"], []),
    ("/", ["Tab this column"], ["complete"]),
    ("/ name:x", ["Tab all columns"], ["complete"]),
    ("'", ["Tab next match"], ["complete"]),
    (":", ["Tab complete"], []),
  ]

  @Test(arguments: cases.indices) func hintsAreWhatWorks(_ place: Int) throws {
    let (keys, offered, refused) = Self.cases[place]
    let screen = try Self.notes()
    try screen.press(keys)
    for hint in offered { #expect(hints(screen).contains(hint), "\(keys): \(screen.text)") }
    for hint in refused { #expect(!hints(screen).contains(hint), "\(keys): \(screen.text)") }
  }

  @Test func anEntityWithoutFieldsOffersOnlyWhatWorksThere() throws {
    let screen = ScreenFixture(try ScriptFixture(Schema(Schema.Entity("E", attributes: []))))
    for hint in ["a add", "e edit", "z fold"] { #expect(!hints(screen).contains(hint), "\(hint)") }
    #expect(hints(screen).contains(": command") && hints(screen).contains("? help"))
  }

  @Test func thePaletteSaysWhatIsNotPossible() throws {
    let screen = try Self.notes()
    try screen.press("C-p \"fold group\"")
    #expect(screen.text.contains("z            not now: no groups; press b"), "\(screen.text)")
    try screen.press("Escape b C-p \"fold group\"")
    #expect(!screen.text.contains("not now"), "\(screen.text)")
  }

  @Test func theMenuOfAColumnListsWhatIsPossible() throws {
    let screen = try Self.notes()
    func menu(_ x: Int) -> String {
      screen.runner.handle(.mouse(MouseEvent(kind: .menu, point: Point(x: x, y: 0))))
      return screen.text
    }
    let ofText = menu(11)
    #expect(ofText.contains("group") && !ofText.contains("expand column"), "\(ofText)")
    try screen.press("/ group Enter Enter")
    #expect(screen.status.contains("group name"), "\(screen.text)")
    let ofJSON = menu(17)
    #expect(ofJSON.contains("expand column"), "\(ofJSON)")
  }

  /// What is pasted into prompts of one line, and what they then contain.
  @Test(arguments: [
    ("/", "item 3\n", "search item 3 (1 of"), ("/", "item\t3\r\n", "search item 3 (1 of"),
    ("f", "name = \"item 3\"\n", "filter name = \"item 3\""),
    ("f", "item\n3\n\n", "filter item 3"), ("'", "name\n", ""),
  ])
  func pastedLinesBecomeOne(key: String, text: String, status: String) throws {
    let screen = try ScreenFixture.numbered(9)
    try screen.press(key)
    screen.runner.handle(.paste(text))
    try screen.press("Enter")
    #expect(screen.status.contains(status), "\(screen.text)")
    if key == "'" { #expect(screen.runner.state.shared.table.currentColumn?.name == "name") }
  }
}
