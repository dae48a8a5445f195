import DataStoreTesting
import Testing

@testable import CatalogApp

/// Editing a line of text.
@Suite struct LineEditorTests {
  @Test(arguments: [
    // `|` marks the cursor, before and after the key.
    ("ab|", [Key.character("c")], "abc|"), ("a|b", [.left], "|ab"), ("|ab", [.left], "|ab"),
    ("ab|", [.right], "ab|"), ("a|b", [.home], "|ab"), ("a|b", [.control("e")], "ab|"),
    ("ab|", [.backspace], "a|"), ("|ab", [.backspace], "|ab"), ("|ab", [.delete], "|b"),
    ("ab|", [.delete], "ab|"), ("ab|cd", [.control("k")], "ab|"), ("ab|cd", [.control("u")], "|cd"),
    ("one two|", [.control("w")], "one |"), ("one two  |x", [.control("w")], "one |x"),
    ("one two|", [.alt("b")], "one |two"), ("|one two", [.alt("f")], "one| two"),
    ("|one two", [Key(.right, .control), .alt("d")], "one|"),
    ("a|", [.control("a"), .character("x")], "x|a"),
    ("e|", [.character("\u{301}")], "é|"), ("é|x", [.backspace], "|x"), ("👩|", [.backspace], "|"),
    ("|\u{301}", [.character("e")], "é|"),
  ])
  func keysEdit(before: String, keys: [Key], after: String) {
    var editor = editor(before)
    for key in keys {
      let isConsumed = editor.handle(.key(key))
      #expect(isConsumed)
    }
    #expect(editor == self.editor(after))
  }

  @Test(arguments: [Key.enter, .escape, .tab, .up, .function(1), .control("s"), .alt("x")])
  func otherKeysAreLeftToTheScreen(key: Key) {
    var editor = LineEditor("a")
    let isConsumed = editor.handle(.key(key))
    #expect(!isConsumed)
    #expect(editor == LineEditor("a"))
  }

  @Test func pastedTextIsKeptAsItIs() {
    var editor = editor("a|b")
    let isConsumed = editor.handle(.paste("\u{1B}[2J\n👩\u{200D}🚀"))
    #expect(isConsumed)
    #expect(editor.text == "a\u{1B}[2J\n👩\u{200D}🚀b")
    #expect(editor.cursor == 7)
    #expect(editor.visibleWindow(40).text.plain == "a^[[2J↵👩🚀b")
    #expect(editor.visibleWindow(40).cursorColumn == 11)
  }

  @Test func completionReplacesARange() {
    var editor = editor("sort di| x")
    editor.replace(5..<7, with: "director")
    #expect(editor == self.editor("sort director| x"))
  }

  @Test(arguments: [
    ("abc|", 10, "abc", 3), ("|", 10, "", 0), ("0123456789|", 8, "…789", 4), ("abc|", 0, "", 0),
    ("|0123456789", 8, "0123456…", 0), ("012345|6789", 8, "012345…", 6), ("abc|", 1, "", 0),
  ])
  func windowShowsTheCursor(line: String, width: Int, shown: String, column: Int) {
    let window = editor(line).visibleWindow(width)
    #expect(window.cursorColumn == column)
    #expect(window.text.width <= width)
    if width > 1 { #expect(window.text.plain.hasPrefix(shown.dropLast()) || width == 0) }
  }

  @Test func windowAlwaysHoldsTheCursor() {
    for text in ["0123456789abcdefghij", "漢字漢字漢字漢字", "a\u{1B}b漢\u{202E}c🇩🇪", ""] {
      for width in 1...24 {
        for place in 0...text.count {
          var editor = LineEditor(text)
          editor.move(to: place)
          let window = editor.visibleWindow(width)
          #expect((0..<width).contains(window.cursorColumn))
          #expect(window.text.width <= width)
        }
      }
    }
  }

  @Test func anyEventsKeepTheCursorInTheText() {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var editor = LineEditor()
    let keys: [Key] = [
      .left, .right, .backspace, .delete, .control("w"), .alt("b"), .alt("d"), .home, .control("k"),
    ]
    for _ in 0..<20_000 {
      if random.next() % 2 == 0 {
        _ = editor.handle(.paste(random.text()))
      } else {
        _ = editor.handle(.key(keys[Int(random.next() % UInt64(keys.count))]))
      }
      guard (0...editor.text.count).contains(editor.cursor) else {
        Issue.record("seed \(seed): \(editor)")
        return
      }
      if editor.text.count > 60 { editor.replace(with: "") }
    }
  }

  private func editor(_ marked: String) -> LineEditor {
    let parts = marked.unicodeScalars.split(separator: "|", omittingEmptySubsequences: false)
    let before = String(String.UnicodeScalarView(parts[0]))
    let after = String(String.UnicodeScalarView(parts[1]))
    var editor = LineEditor(before + after)
    editor.move(to: before.count)
    return editor
  }
}
