/// An entry in the list of commands: its syntax, and how it is parsed.
///
/// The program's interface is the list of its commands (`Command.all`): help, completion, the palette
/// and the manual are generated from it. A command is performed by an `Instruction`, which the entry
/// parses from the arguments.
///
/// A class, because it is passed along with each line of a script.
package final class Command: Sendable {
  /// The places where a command is available.
  package struct Places: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// In scripts, which have no screen.
    package static let scripts = Places(rawValue: 1)
    /// After the colon on the screen.
    package static let screen = Places(rawValue: 2)
  }

  /// How the arguments are written.
  package enum Notation: Sendable {
    /// As words, split as in a shell.
    case words
    /// As one text up to the end of the line, without interpreting quotes.
    case text
  }

  /// The word that names it, or two (`entity create`).
  package let name: String
  /// Other names of the command.
  package let aliases: [String]
  /// The syntax of the arguments, as in the manual.
  package let usage: String
  /// One sentence without a period, in the imperative.
  package let summary: String
  /// Further details for `help COMMAND`; may be empty.
  package var details: String { makeDetails() }
  /// Most runs need no details, some of which are long lists.
  private let makeDetails: @Sendable () -> String
  /// What people call it besides, for the list in which commands are looked for.
  let searchWords: String
  /// True if it changes records, the store or the schema; rejected with `--read-only`.
  package let changesData: Bool
  /// True if it changes records and nothing else, which stay unsaved: the save notices what other programs have saved.
  package let isEdit: Bool
  /// The message while it runs, for a command that may take long; nil for all others.
  package let progress: String?
  /// True when its first argument is a file or a location, for completion.
  package let takesFile: Bool
  /// False for a command that asks for no records, which may come before "read".
  let usesRecords: Bool
  /// The places where it is available.
  package let places: Places
  /// Why it works only on the screen; nil if it works everywhere.
  package let needsScreen: String?
  /// How its arguments are written.
  package let notation: Notation
  /// Reads the arguments; those that it leaves are too many.
  private let read: @Sendable (inout Arguments, Session) throws -> any Instruction

  init(
    _ name: String,
    aliases: [String] = [],
    usage: String = "",
    summary: String,
    details: @autoclosure @escaping @Sendable () -> String = "",
    searchWords: String = "",
    changesData: Bool = false,
    isEdit: Bool = false,
    progress: String? = nil,
    takesFile: Bool = false,
    usesRecords: Bool = true,
    places: Places = [.scripts, .screen],
    needsScreen: String? = nil,
    notation: Notation = .words,
    read: @escaping @Sendable (inout Arguments, Session) throws -> any Instruction
  ) {
    self.name = name
    self.aliases = aliases
    self.usage = usage
    self.summary = summary
    makeDetails = details
    self.searchWords = searchWords
    self.changesData = changesData
    self.isEdit = isEdit
    self.progress = progress
    self.takesFile = takesFile
    self.usesRecords = usesRecords
    self.places = places
    self.needsScreen = needsScreen
    self.notation = notation
    self.read = read
  }

  /// Reads all arguments.
  ///
  /// - Throws: What the command throws for wrong arguments, and `CommandError` for further ones.
  func instruction(_ arguments: inout Arguments, _ session: Session) throws -> any Instruction {
    let instruction = try read(&arguments, session)
    try arguments.finish()
    return instruction
  }

  /// Name and usage in one line.
  package var synopsis: String { usage.isEmpty ? name : "\(name) \(usage)" }

  /// The name and the aliases.
  var names: [String] { [name] + aliases }
}
