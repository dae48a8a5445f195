import Foundation
import Testing

/// What the screen tells about its file and its configuration, and what it does with new files.
@Suite struct ScreenNotesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a,b\n1,2\n3\n", to: "ragged.csv")
    try folder.write(
      #"[{"name":"A","pos":{"x":1,"y":{"z":2}}},{"name":"B","pos":{"x":2}}]"#,
      to: "p.json"
    )
  }

  private func keys(_ keys: String, _ arguments: String...) throws -> String {
    try folder.run(arguments + ["--keys", "-"], input: keys).output
  }

  /// A note about a line that may have been mended since does not appear after the end; a script prints it.
  @Test func notesAboutAFileAreShownOnTheScreenAlone() throws {
    let run = try ScreenRun([folder.file("ragged.csv")])
    #expect(run.shows("note: "))
    run.type("q")
    #expect(run.wait() == .exited(0))
    let screen = run.received.firstRange(of: "\u{1B}[?1049h")
    #expect(screen.map { !run.received[..<$0.lowerBound].contains("note:") } ?? false)
    let script = try folder.run(["ragged.csv", "-e", "count"])
    #expect(script.errors.contains("note: ragged.csv: line 3"))
  }

  @Test func aNewFileOfOneEntityTakesItsFirstRecord() throws {
    let empty = try keys("G", "new.csv")
    #expect(empty.contains("no records; use :insert NAME=VALUE … or :import FILE"), "\(empty)")
    let shown = try keys("\":insert title=Up year=2009\" Enter w", "new.csv")
    #expect(shown.contains("new.csv · 1 of 1 · row 1"), "\(shown)")
    #expect(try folder.read("new.csv") == "title,year\nUp,2009\n")
  }

  @Test func aCreatedEntityIsShown() throws {
    try folder.write("{\"films\": []}\n", to: "films.json")
    let shown = try keys("\":entity create books title:text\" Enter", "p.catlog")
    #expect(shown.contains("created entity books"), "\(shown)")
    let second = try keys(
      "\":entity create books title:text\" Enter : \"entity create authors name:text\" Enter",
      "p.catlog"
    )
    #expect(second.contains("authors 2/2"), "\(second)")
    #expect(second.contains("created entity authors"), "\(second)")
  }

  /// Paths that no record has, and what is said about them.
  @Test(arguments: [
    ("f \"pos.zzz = 1\" Enter", "pos.zzz: no value in 2 records; available: pos.x, pos.y"),
    ("f Pos.xx:1 Enter", "pos.xx: no value in 2 records; did you mean \"pos.x\"?"),
    ("f pos.X:1-2 Enter", "pos.X: no value in 2 records; did you mean \"pos.x\"?"),
    ("\":sort pos.xx\" Enter", "pos.xx: no value in 2 records; did you mean \"pos.x\"?"),
    ("\":sort -Pos.zzz[l]\" Enter", "pos.zzz: no value in 2 records; available: pos.x, pos.y"),
    ("\":sort pos.x,name\" Enter", ""),
    ("f pos.xx:1 Enter", "pos.xx: no value in 2 records; did you mean \"pos.x\"?"),
    ("\":filter pos.y.a = 1\" Enter", "pos.y.a: no value in 2 records; did you mean \"pos.y.z\"?"),
    ("\":column show pos.zzz\" Enter", "pos.zzz: no value in 2 records; available"),
    ("\":group pos.zzz\" Enter", "pos.zzz: no value in 2 records; available"),
    ("f \"pos.x = 7\" Enter", ""), ("\":column show pos.y.z\" Enter", ""),
  ])
  func anUnknownPathIntoJSONIsNamed(typed: String, message: String) throws {
    let shown = try keys(typed, "p.json")
    #expect(message.isEmpty ? !shown.contains("no value in") : shown.contains(message), "\(shown)")
  }

  /// The record is among the keys that a list of a database begins with, but not among the first rows.
  @Test func theCursorStaysOnItsRecordInALongList() throws {
    let lines = (1...20_000).map { "\($0),n" }.joined(separator: "\n")
    try folder.write("number,name\n" + lines + "\n", to: "long.csv")
    #expect(try folder.run(["long.csv", "-e", "saveas long.db"]).status == 0)
    for (keys, row) in [("f number>5 Enter", 7995), ("f number<=9000 Enter", 8000)] {
      let shown = try self.keys("8 0 0 0 g " + keys, "long.db")
      #expect(shown.contains("row \(row)"), "\(keys)\n\(shown)")
    }
    let hidden = try self.keys("8 0 0 0 g f number<=9 Enter", "long.db")
    #expect(hidden.contains("row 1"), "\(hidden)")
  }
}
