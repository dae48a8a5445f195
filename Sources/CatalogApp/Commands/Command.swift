/// One thing that can be done with records: by a line of a script, on the command line, or by a key.
///
/// The program's interface is the list of its commands (`Command.all`): help, completion, the palette
/// and the manual are made from it. To add a command: one file with one value of this type, one line in
/// the list.
package struct Command: Sendable {
  /// The word that names it, or two (`entity create`).
  package let name: String
  /// Other words for the same.
  package let aliases: [String]
  /// What may stand behind the name, as the contract writes it.
  package let usage: String
  /// One sentence without a full stop, in the imperative.
  package let summary: String
  /// More, for `help COMMAND`; may be empty.
  package let details: String
  /// True when it changes records, files or the schema; refused with `--read-only`.
  package let changesData: Bool
  /// Does it.
  package let run: @Sendable (inout Arguments, Session) throws -> Outcome

  /// Describes a command.
  package init(
    _ name: String,
    aliases: [String] = [],
    usage: String = "",
    summary: String,
    details: String = "",
    changesData: Bool = false,
    run: @escaping @Sendable (inout Arguments, Session) throws -> Outcome
  ) {
    self.name = name
    self.aliases = aliases
    self.usage = usage
    self.summary = summary
    self.details = details
    self.changesData = changesData
    self.run = run
  }

  /// True when it can be stopped halfway and leaves nothing behind; those that write stores cannot.
  var canBeStopped: Bool {
    [
      "list", "count", "stats", "freq", "export", "import", "set", "delete", "history",
    ].contains(name)
  }

  /// Name and usage in one line.
  package var synopsis: String { usage.isEmpty ? name : "\(name) \(usage)" }
}
