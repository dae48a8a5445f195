import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Testing

// Covers I03.
@Suite struct ScriptLinesTests {
  private func lines(_ chunks: [[UInt8]], limitBytes: Int = 1 << 20) throws -> [String] {
    var cutter = ScriptLines(limitBytes: limitBytes)
    var result: [String] = []
    for chunk in chunks {
      cutter.append(chunk)
      while let line = try cutter.next() {
        result.append(line.text)
        #expect(line.number == result.count)
      }
    }
    if let line = try cutter.finish() { result.append(line.text) }
    return result
  }

  @Test func linesAreTheSameHoweverTheBytesAreCut() throws {
    let text = Array("\u{FEFF}one\r\n\ntwo ü\nthree 😀\r\nfour".utf8)
    for size in 1...text.count {
      let chunks = stride(from: 0, to: text.count, by: size).map {
        Array(text[$0..<min($0 + size, text.count)])
      }
      #expect(try lines(chunks) == ["one", "", "two ü", "three 😀", "four"])
    }
    #expect(try lines([]) == [])
    #expect(try lines([Array("a\n".utf8)]) == ["a"])
  }

  @Test func aLineIsThereBeforeTheNext() throws {
    var cutter = ScriptLines()
    cutter.append(Array("one\ntw".utf8))
    #expect(try cutter.next()?.text == "one")
    #expect(try cutter.next() == nil)
    cutter.append(Array("o\n".utf8))
    #expect(try cutter.next()?.text == "two")
  }

  @Test(arguments: [
    ([0x63, 0x0A, 0x61, 0xFF], "2: invalid UTF-8 at byte 2\n", "3\n"),
    ([0x61, 0xC3, 0x28, 0x0A], "1: invalid UTF-8 at byte 2\n", ""),
    ([0xED, 0xA0, 0x80, 0x0A], "1: invalid UTF-8 at byte 1\n", ""),
    ([0x63, 0x00, 0x0A], "1: NUL at byte 2; a script must be text\n", ""),
  ])
  func invalidTextEndsTheScript(bytes: [UInt8], errors: String, output: String) throws {
    let fixture = try ScriptFixture.withFilms()
    var bytes = bytes
    if bytes.first == 0x63, bytes[1] == 0x0A { bytes = Array("count\n".utf8) + bytes.dropFirst(2) }
    let result = try fixture.run(
      bytes: [bytes + [0x0A] + Array("insert title=Never\n".utf8)],
      keepsGoing: true
    )
    #expect(result == ScriptResult(output: output, errors: errors, status: 1))
  }

  @Test func aVeryLongLineIsRefusedBeforeItsEnd() throws {
    var cutter = ScriptLines(limitBytes: 10)
    cutter.append(Array("0123456789\n".utf8))
    #expect(try cutter.next()?.text == "0123456789")
    cutter.append(Array("0123456789a".utf8))
    let failure = #expect(throws: ScriptLines.Failure.self) { try cutter.next() }
    #expect(failure?.number == 2)
    #expect(failure?.description == "line longer than 10 bytes")
  }

  @Test func keepGoingRunsTheRestAndRemembersTheFailure() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run("frob\ncount\nlist Flim\nquit\ncount", keepsGoing: true)
    #expect(result.output == "3\n")
    #expect(result.errors.split(separator: "\n").count == 2)
    #expect(result.errors.contains("\n3: "))
    #expect(result.status == 1)
  }

  @Test(arguments: [("quit", false), ("q", false), ("exit", false), ("q!", true), ("quit!", true)])
  func quitDiscardsOnlyWhenToldSo(line: String, discards: Bool) throws {
    let fixture = try ScriptFixture.withFilms()
    let runner = ScriptRunner(
      session: fixture.session,
      printer: { ResultPrinter($0, isTerminal: false) { _ in } },
      complain: { Issue.record("\($0)") }
    )
    #expect(try runner.run(line, number: nil) == false)
    #expect(runner.hasQuit)
    #expect(runner.discardsChanges == discards)
  }
}

@Suite struct CommandTextTests {
  static let words: [(line: String, words: [String])] = [
    ("", []), ("  # nothing", []), ("a  b\tc", ["a", "b", "c"]),
    ("'single $x \\n' x", ["single $x \\n", "x"]), ("title=\"a\\tb \\u{1F600}\"", ["title=a\tb 😀"]),
    ("a#b #c", ["a#b"]), ("a\\ b", ["a b"]), ("\"\"", [""]), ("pre'fix'\"ed\"", ["prefixed"]),
  ]

  @Test(arguments: words.indices)
  func wordsAreSplitAsInAShell(index: Int) throws {
    #expect(try CommandText(Self.words[index].line).words.map(\.text) == Self.words[index].words)
  }

  // Covers H10.
  @Test func quotingIsTakenBackBySplitting() throws {
    let seed = SeededGenerator.testSeed
    print("seed", seed)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let text = NastyText.random(&generator)
      let line = "a \(CommandText.quoted(text)) b f=\(CommandText.quoted(text))"
      let words = try CommandText(line).words
      #expect(words.map(\.text) == ["a", text, "b", "f=" + text], "seed \(seed)")
      #expect(words.last?.assignment?.value.utf8.elementsEqual(text.utf8) == true)
    }
  }
}

/// Texts that break careless handling of quotes, line ends, invisible characters and accents.
enum NastyText {
  private static let pieces = [
    "\"", "'", "\\", "\n", "\r", "\r\n", "\t", ",", ";", "=", "#", " ", "", "a", "é", "e\u{301}",
    "\"\u{301}", "\u{202E}", "\u{200B}", "\u{0}", "\u{1B}[31m", "😀", "👨‍👩‍👧", "\u{FEFF}", "null",
    "\"\"", "\\N", "\\n", "007", "-", "[", "{", "\u{7F}", "\u{85}", "\u{2028}", "日本",
  ]

  static func random(_ generator: inout SeededGenerator) -> String {
    (0..<generator.below(8)).map { _ in pieces[generator.below(pieces.count)] }.joined()
  }
}
