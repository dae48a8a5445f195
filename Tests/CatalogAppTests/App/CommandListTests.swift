import CatalogApp
import Testing

@Suite struct CommandListTests {
  /// The keys that the contract promises, and what each does.
  static let promised: [(keys: String, command: String)] = [
    ("Up k", "up"), ("Down j", "down"), ("Left h", "left"), ("Right l", "right"),
    ("g Home", "first"), ("G End", "last"), ("0", "first column"), ("$", "last column"),
    ("PgDn ^F", "page down"), ("PgUp ^B", "page up"), ("^D", "half page down"),
    ("^U", "half page up"), ("Enter", "open"), ("e F2 i", "edit"), ("c", "change"),
    ("a o", "add"), ("Y", "duplicate"), ("d x Delete", "delete"), ("Space", "mark"),
    ("V", "mark range"), ("*", "mark all"), ("u U", "undo"), ("^R", "redo"), (".", "repeat"),
    ("w ^S", "save"), ("/", "search"), ("n", "next match"), ("N", "previous match"),
    ("f &", "filter"), ("s", "sort"), ("S", "sort further"), ("F", "counts"), ("v", "details"),
    ("H", "history"), ("Tab", "next entity"), (":", "command"), ("^P", "palette"), ("y", "copy"),
    ("E", "edit outside"), ("? F1", "help"), ("Esc", "clear"), ("q", "quit"), ("^L", "redraw"),
    ("^Z", "suspend"),
  ]

  @Test(arguments: promised.indices) func everyPromisedKeyIsBound(_ number: Int) throws {
    let (names, command) = Self.promised[number]
    for name in names.split(separator: " ") {
      let key = try #require(Key(name: String(name)))
      #expect(
        KeyMap.standard.action(for: key, as: TableAction.self)?.rawValue == command,
        "\(name)"
      )
    }
  }

  @Test func everyCommandHasASummaryAndAKeyOfItsOwn() {
    for place in KeyCommand.allPlaces {
      var seen: [Key: String] = [:]
      for command in KeyCommand.all(at: place) {
        #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
        #expect(!command.keys.isEmpty)
        for key in command.keys {
          #expect(seen.updateValue(command.name, forKey: key) == nil, "\(key) at \(place)")
        }
      }
      let names = KeyCommand.all(at: place).map(\.name)
      #expect(Set(names).count == names.count)
    }
    #expect(Command.all.allSatisfy { !$0.summary.isEmpty })
  }

  @Test func helpListsEveryCommand() throws {
    for place in KeyCommand.allPlaces {
      let help = HelpText.keys(.standard, at: place).joined(separator: "\n")
      for command in KeyCommand.all(at: place) {
        #expect(help.contains(command.summary))
        for key in command.keys { #expect(help.contains(key.description)) }
      }
    }
    let commands = HelpText.commands().joined(separator: "\n")
    for command in Command.all(in: .screen) { #expect(commands.contains(command.synopsis)) }
  }

  @Test func keysCanBeChangedAndHelpShowsIt() throws {
    var keys = KeyMap.standard
    try keys.bind("delete", to: [.function(8)])
    #expect(keys.action(for: .function(8), as: TableAction.self) == .delete)
    #expect(keys.action(for: .character("d"), as: TableAction.self) == nil)
    #expect(
      HelpText.keys(keys, at: TableAction.place).contains {
        $0.contains("F8") && $0.contains("delete")
      }
    )
    try keys.bind("quit", to: [.character("s")])
    #expect(
      !HelpText.keys(keys, at: TableAction.place).contains {
        $0.contains("s               sort by")
      }
    )
    #expect(throws: CommandError.self) { try keys.bind("delte", to: [.function(9)]) }
  }
}
