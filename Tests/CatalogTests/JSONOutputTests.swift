import Foundation
import Testing

/// With `--format json` everything that commands print is JSON, but confirmations of changes.
@Suite struct JSONOutputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Commands that print something.
  private static let printing = [
    "list limit 2", "list where title = 'none'", "list fields director distinct", "count",
    "show $id", "status",
    "status ids", "entities", "schema", "schema Film", "schema export -",
    "schema check other.schema", "history",
    "history Film", "history $id", "changes", "check", "stats releaseYear", "freq director", "help",
    "help save",
    "help keys", "help no", "explain releaseYear = 2009", "conflicts", "columns", "views", "bind",
    "bind X",
    "diff copy.json", "export - limit 1", "each rows.csv list where title = $title",
    "each rows.csv show $id",
    "each rows.csv count where title = $title",
  ]

  @Test(arguments: ["films.catlog", "films.json", "films.csv", "films.db", "memory:"])
  func everythingIsJSON(store: String) throws {
    let setup = try folder.run(
      [
        "first.json", "--sample", "-e", "save", "-e", "saveas films.catlog", "-e",
        "saveas films.json",
      ]
        + ["-e", "saveas films.csv", "-e", "saveas films.db", "-e", "saveas copy.json"]
        + ["-e", "schema export other.schema", "-e", "list limit 1 fields id"]
    )
    #expect(setup.status == 0, "\(setup)")
    let options = store == "memory:" ? [store, "--sample"] : [store]
    let id = try folder.run(options + ["--no-header", "-e", "list limit 1 fields id"]).output
      .dropLast()
    try folder.write("title,id\nUp,\(id)\nCars,\(id)\n", to: "rows.csv")
    for command in Self.printing {
      for format in ["json", "jsonl"] {
        let line = command.replacing("$id", with: command.hasPrefix("each") ? "$id" : id)
        let run = try folder.run(options + ["--format", format, "-e", line, "-e", "quit!"])
        guard run.status == 0 || line.hasPrefix("diff") || line.hasPrefix("schema check") else {
          // A failure prints nothing.
          #expect(run.output == "", "\(command) \(run)")
          continue
        }
        try expectJSON(run.output, "\(store) \(format) \(command)")
      }
    }
  }

  /// Checks that a text is one JSON value, or one a line.
  private func expectJSON(_ text: String, _ name: String) throws {
    if isJSON(text) { return }
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { isJSON(String($0)) }, "\(name): \(text.prefix(300))")
  }

  private func isJSON(_ text: String) -> Bool {
    text.isEmpty
      || (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
        != nil
  }

  @Test func textForPeopleIsAMemberOfAnObject() throws {
    let run = try folder.run(["memory:", "--format", "json", "-e", "help save"])
    #expect(run.output.hasPrefix(#"{"lines":["save "#), "\(run)")
    let table = try folder.run(["memory:", "-e", "help save"])
    #expect(table.output.hasPrefix("save "), "\(table)")
  }
}
