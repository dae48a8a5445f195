/// An entry in the list of commands: what can be typed, and how it is read.
///
/// The program's interface is the list of its commands (`Command.all`): help, completion, the palette
/// and the manual are made from it. What a command does is an `Instruction`; the entry reads one from
/// its arguments.
package struct Command: Sendable {
  /// Where a command can be given.
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
    /// As one text to the end of the line, in which quotes mean nothing to the splitting.
    case text
  }

  /// The word that names it, or two (`entity create`).
  package let name: String
  /// Other words for the same.
  package let aliases: [String]
  /// What may follow the name, as the contract writes it.
  package let usage: String
  /// One sentence without a period, in the imperative.
  package let summary: String
  /// More, for `help COMMAND`; may be empty.
  package let details: String
  /// True when it changes records, the store or the schema; refused with `--read-only`.
  package let changesData: Bool
  /// True when it can be stopped halfway without leaving anything done; false for what writes stores.
  package let canBeStopped: Bool
  /// What the screen says while it works, for a command that may take long; nil for all others.
  package let progress: String?
  /// True when its first argument is a file or a location, for completion.
  package let takesFile: Bool
  /// Where it can be given.
  package let places: Places
  /// How its arguments are written.
  package let notation: Notation
  /// Reads the arguments.
  let read: @Sendable (inout Arguments, Session) throws -> any Instruction

  /// Describes a command.
  init(
    _ name: String,
    aliases: [String] = [],
    usage: String = "",
    summary: String,
    details: String = "",
    changesData: Bool = false,
    canBeStopped: Bool = false,
    progress: String? = nil,
    takesFile: Bool = false,
    places: Places = [.scripts, .screen],
    notation: Notation = .words,
    read: @escaping @Sendable (inout Arguments, Session) throws -> any Instruction
  ) {
    self.name = name
    self.aliases = aliases
    self.usage = usage
    self.summary = summary
    self.details = details
    self.changesData = changesData
    self.canBeStopped = canBeStopped
    self.progress = progress
    self.takesFile = takesFile
    self.places = places
    self.notation = notation
    self.read = read
  }

  /// Name and usage in one line.
  package var synopsis: String { usage.isEmpty ? name : "\(name) \(usage)" }

  /// The name and the aliases.
  var names: [String] { [name] + aliases }
}
