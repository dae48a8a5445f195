import CatalogApp
import OpenSwiftData
import Testing

/// The commands of the screen, line by line.
@Suite struct PlainCommandsTests {
  /// The commands that need a screen, and why.
  static let needingScreen = [
    "42": "only the screen has a cursor; use list with offset and limit",
    "settings": "they are settings of the screen",
    "theme": "only the screen has colors",
    "tour": "it is about keys",
  ]

  /// Every command is known without a screen, or tells why it is not.
  @Test(arguments: Command.all(in: .screen).map(\.name))
  func everyCommandOfTheScreenIsKnown(name: String) throws {
    let result = try ScriptFixture.withFilms().run(name, echoesNotes: true)
    #expect(!result.errors.contains("unknown command"))
    let refusal = "1: \"\(name)\" works only on the screen"
    if name == "column expand" {
      #expect(
        result.errors.hasPrefix("1: column expand: works only on the screen; use \"column show")
      )
    } else if let reason = Self.needingScreen[name] {
      #expect(result.errors == "\(refusal): \(reason)\n")
    } else {
      #expect(!result.errors.contains("works only on the screen"), "\(result.errors)")
    }
  }

  @Test func aNumberIsNoUnknownCommand() throws {
    let result = try ScriptFixture.withFilms().run("7")
    #expect(
      result.errors.hasPrefix("1: \"7\" works only on the screen: only the screen has a cursor")
    )
  }

  @Test(arguments: [
    (
      "insert title=x\nwq\ncount", ["t4", "saved: 1 inserted, 0 updated, 0 deleted", "t4 -> ID"], ""
    ),
    ("wq\ncount", [], ""),
    ("insert title=x\nwq now", ["t4"], "2: unexpected \"now\" after the command\n"),
    (
      "insert title=x\ne other.json", ["t4"],
      "2: e: unsaved changes; run \"save\" or \"rollback\" first\n"
    ),
  ])
  func saveAndQuitAndOpenWorkLineByLine(script: String, output: [String], errors: String) throws {
    let result = try ScriptFixture.withFilms().run(script)
    let lines = result.output.replacing(/-> \w+/, with: "-> ID").split(separator: "\n")
    #expect(lines.map(String.init) == output && result.errors == errors, "\(result)")
  }
}
