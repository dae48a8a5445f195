import Foundation
import Glibc
import Testing

/// Names of files, entities and fields with control sequences, printed on a terminal.
///
/// Covers H01.
@Suite struct HostileNamesTests {
  private let folder: TemporaryFolder
  private let store: String
  /// Sets the title of the window, erases the screen, and reverses the following text.
  private static let evil = "\u{1B}]0;PWNED\u{7}\u{1B}[2J\u{202E}"

  init() throws {
    folder = try TemporaryFolder()
    let name = "n\(Self.evil).json"
    try folder.write(
      #"[{"t\u001b]0;PWNED\u0007\u001b[2J\u202e":"v\u001b]52;c;QQ==\u0007\u009b2J\r\u202e","a\tb\nc\r":1}]"#,
      to: name
    )
    store = folder.file(name)
  }

  static let lines = [
    "list", "show 1", "entities", "schema", "status", "freq \"a\\tb\\nc\\r\"", "export -", "check",
    "count where \u{1B}[2J = 1", "list sort \"\u{1B}]0;x\u{7}\"", "\u{1B}[2J", "show \u{1B}[2J",
    "import \u{1B}[2J.csv", "set 1 \"a\\tb\\nc\\r\"=\u{1B}[2J", "saveas ./\u{1B}[2J/x.json",
  ]

  @Test(arguments: ["table", "json", "jsonl", "csv", "tsv"])
  func hostileNamesReachNoTerminal(format: String) throws {
    for line in Self.lines {
      let run = try ScreenRun([store, "--format", format, "-e", line, "-e", "rollback"])
      guard case .exited = run.wait() else {
        Issue.record("\(line) did not end")
        continue
      }
      #expect(run.received.count >= 3, "\(line) says something")
      #expect(Self.isHarmless(run.received), "\(line): \(run.received.debugDescription)")
    }
  }

  @Test func thePromptsGreetingIsHarmless() throws {
    let run = try ScreenRun([store, "--plain"])
    #expect(run.shows("type a command"))
    run.type("list\nshow 1\nquit\n")
    #expect(run.wait() == .exited(0))
    #expect(Self.isHarmless(run.received), "\(run.received.debugDescription)")
  }

  @Test func argumentsInMessagesAreHarmless() throws {
    for arguments in [
      ["--\(Self.evil)"], ["--store", Self.evil], ["a", Self.evil], [Self.evil + "/x"],
    ] {
      let run = try ScreenRun(arguments)
      guard case .exited(let status) = run.wait() else {
        Issue.record("\(arguments) did not end")
        continue
      }
      #expect(status != 0)
      #expect(run.received.hasPrefix("catalog: "))
      #expect(Self.isHarmless(run.received), "\(run.received.debugDescription)")
    }
  }

  @Test func theScreenShowsThemHarmlessly() throws {
    let run = try ScreenRun([store])
    #expect(run.shows("^[]0;PWNED^G"))
    for keys in ["\r", "\u{1B}", "?", "\u{1B}", ":status\r", "\u{1B}", "H", "\u{1B}"] {
      run.type(keys)
      _ = run.wait(milliseconds: 100)
    }
    run.type("\u{1B}:q!\r")
    #expect(run.wait() == .exited(0))
    // The program's own query for the background of the terminal.
    let shown = run.received.replacing("\u{1B}]11;?\u{7}", with: "")
    for evil in ["\u{1B}]", "\u{202E}", "\u{9B}", "\u{7}"] {
      #expect(!shown.contains(evil), "\(evil.debugDescription)")
    }
  }

  @Test func toAPipeTheBytesStay() throws {
    let run = try folder.run([store, "--format", "tsv", "-e", "list"])
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("id\tt\(Self.evil)\ta\\tb\\nc\\r\n"))
  }

  /// Only visible characters, line ends and tabs.
  static func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      if "\r\n\t".unicodeScalars.contains(scalar) { return true }
      let category = scalar.properties.generalCategory
      return !scalar.properties.isDefaultIgnorableCodePoint
        && ![
          .control, .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
        ].contains(category)
    }
  }
}
