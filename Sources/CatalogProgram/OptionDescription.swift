import CatalogApp
import OpenSwiftData
import Stores

/// One option of the command line; parsing, `--help` and suggestions all use this list.
struct OptionDescription: Sendable {
  /// The values that shells offer as the argument.
  enum Completion: Sendable {
    case none, files
    /// What the program itself prints for the line: commands with the names and values of the store, or entities.
    case names
    case words([String])
  }

  let name: String
  let argument: String?
  let letter: Character?
  /// Most runs need neither this nor the completion, some of which are long lists.
  var summary: String { makeSummary() }
  private let makeSummary: @Sendable () -> String
  var completion: Completion { makeCompletion() }
  private let makeCompletion: @Sendable () -> Completion
  /// The value given earlier; nil for an option that accumulates or whose last value counts.
  let given: (@Sendable (Options) -> String?)?
  let apply: @Sendable (inout Options, String) throws -> Void

  init(
    _ name: String,
    _ argument: String? = nil,
    letter: Character? = nil,
    summary: @autoclosure @escaping @Sendable () -> String,
    completion: @autoclosure @escaping @Sendable () -> Completion = .none,
    given: (@Sendable (Options) -> String?)? = nil,
    apply: @escaping @Sendable (inout Options, String) throws -> Void
  ) {
    self.name = name
    self.argument = argument
    self.letter = letter
    makeSummary = summary
    makeCompletion = completion
    self.given = given
    self.apply = apply
  }

  static let all: [OptionDescription] = [
    OptionDescription(
      "store",
      "KIND",
      summary: "\(StoreKind.names) (default: by extension)",
      completion: .words(StoreKind.all.map(\.name)),
      given: \.store
    ) { options, text in
      guard StoreKind.all.contains(where: { $0.name == text }) else {
        let isFile = text.contains { "/.".contains($0) }
        throw UsageError(
          isFile
            ? "unknown store kind \(Value.quoted(text)); to open a file, leave out --store"
            : Suggestion.message("unknown store kind", text, among: StoreKind.all.map(\.name))
        )
      }
      options.store = text
    },
    OptionDescription("sample", summary: "fill an empty store with the sample films") {
      options,
      _ in options.usesSample = true
    },
    OptionDescription("tour", summary: "learn the keys step by step; nothing is written to disk") {
      options,
      _ in options.takesTour = true
    },
    OptionDescription(
      "schema",
      "FILE",
      summary: "create an empty store with the schema in FILE",
      completion: .files,
      given: \.schemaPath
    ) { $0.schemaPath = $1 },
    OptionDescription(
      "read",
      "OPTIONS",
      summary: "how LOCATION is read, such as \"header=no missing=NA\"; \"help read\" lists all",
      given: { $0.reading?.text }
    ) { options, text in
      do throws(ReadingOptions.Fault) {
        options.reading = try ReadingOptions(text)
      } catch {
        throw UsageError("--read: \(error.message)")
      }
    },
    OptionDescription(
      "strict-read",
      summary: "refuse a file of separated values if it is not certain how it is read"
    ) { options, _ in options.refusesDoubt = true },
    OptionDescription(
      "entity",
      "NAME",
      summary: "start with this entity",
      completion: .names,
      given: \.entity
    ) { $0.entity = $1 },
    OptionDescription(
      "script",
      "FILE",
      summary: "run the commands in FILE and exit; - is standard input; can be repeated",
      completion: .files
    ) { $0.sources.append(.script($1)) },
    OptionDescription(
      "command",
      "COMMAND",
      letter: "e",
      summary: "run COMMAND and exit; can be repeated",
      completion: .names
    ) { $0.sources.append(.command($1)) },
    OptionDescription(
      "format",
      "F",
      summary: "output format of scripts: \(OutputFormat.allCases.map(\.rawValue).alternatives)",
      completion: .words(OutputFormat.allCases.map(\.rawValue))
    ) {
      options,
      text in
      guard let format = OutputFormat(rawValue: text) else {
        throw UsageError(
          Suggestion.message("unknown format", text, among: OutputFormat.allCases.map(\.rawValue))
        )
      }
      options.format = format
    },
    OptionDescription("no-header", summary: "print lists without the names of the columns") {
      options,
      _ in
      options.style.hasHeading = false
    },
    OptionDescription(
      "null",
      "TEXT",
      summary: "print TEXT for missing values, except in JSON"
    ) { $0.style.nullText = $1 },
    OptionDescription("quiet", summary: "commands that change data print nothing") { options, _ in
      options.isQuiet = true
    },
    OptionDescription(
      "arg",
      "NAME VALUE",
      summary: "let $NAME in commands stand for VALUE, as a whole; can be repeated"
    ) { options, text in
      // By bytes: a value may begin with a character that combines with the sign before it.
      let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
      try options.addParameter(
        String(text[..<end]),
        String(text[end...].unicodeScalars.dropFirst())
      )
    },
    OptionDescription(
      "args-env",
      "NAME",
      summary: "let $NAME stand for the environment variable NAME; can be repeated"
    ) { options, name in
      try options.requireNewParameter(name, "--args-env")
      options.environmentParameters.append(name)
    },
    OptionDescription(
      "answers",
      "FORMAT",
      summary: "answer each command with one JSON object in a line (jsonl), for programs",
      completion: .words(["jsonl"])
    ) { options, text in
      guard text == "jsonl" else {
        throw UsageError("unknown format of answers \(Value.quoted(text)); available: jsonl")
      }
      options.answersInJSON = true
    },
    OptionDescription(
      "atomic",
      summary: "save once, after the last command, if all commands succeeded"
    ) { options, _ in
      guard options.saving != .never else { throw Options.savingConflict }
      options.saving = .atEnd
    },
    OptionDescription(
      "dry-run",
      summary: "save nothing; print the changes that would be saved"
    ) { options, _ in
      guard options.saving != .atEnd else { throw Options.savingConflict }
      options.saving = .never
    },
    OptionDescription(
      "to",
      "LOCATION",
      summary:
        "convert to a store of any kind, to .csv, .tsv, .md, .html, .sql, or to -",
      completion: .files,
      given: \.destination
    ) { $0.destination = $1 },
    OptionDescription("replace", summary: "let --to, export and saveas replace a file") {
      options,
      _ in options.replacesTargets = true
    },
    OptionDescription("keep-going", summary: "continue a script after a failed command") {
      options,
      _ in
      options.keepsGoing = true
    },
    OptionDescription("read-only", summary: "open read-only; never write to the store") {
      options,
      _ in
      options.isReadOnly = true
    },
    OptionDescription(
      "at",
      "T",
      summary: "open a log read-only as it was at T: a token of the history, or a time"
    ) { options, text in
      guard let point = HistoryPoint(text, isEnd: true) else {
        throw UsageError(HistoryPoint.refusal(of: text, after: "--at"))
      }
      options.end = point
    },
    OptionDescription(
      "history",
      "KEEP",
      summary: "history to keep (a log: when compacted): all, none or a number of saves",
      completion: .words(["all", "none", "100"]),
      given: \.historyText
    ) { options, text in
      guard let retention = HistoryRetention(text) else {
        throw UsageError(
          "--history: expected all, none or a number of saves, found \(Value.quoted(text))"
        )
      }
      options.history = retention
      options.historyText = text
    },
    OptionDescription(
      "author",
      "NAME",
      summary: "author of the saves in the history (default: the user)",
      given: \.author
    ) { options, name in
      guard name.contains(where: { !$0.isWhitespace }) else {
        throw UsageError("--author: empty name")
      }
      options.author = name
    },
    OptionDescription(
      "wait",
      "SECONDS",
      summary: "wait this long for a store that another program has locked (default 5)"
    ) { options, text in
      guard let seconds = Double(text), (0...Options.longestWait).contains(seconds) else {
        throw UsageError(
          "--wait: expected seconds from 0 to \(Int(Options.longestWait)), found \(Value.quoted(text))"
        )
      }
      options.waitSeconds = seconds
    },
    OptionDescription(
      "keys",
      "FILE",
      summary: "press the keys in FILE without a terminal and print the screen",
      completion: .files,
      given: \.keysPath
    ) { $0.keysPath = $1 },
    OptionDescription(
      "size",
      "COLSxROWS",
      summary: "screen size for --keys (default 80x24)",
      completion: .words(["80x24", "120x40"])
    ) { options, text in
      let numbers = text.lowercased().split(separator: "x").compactMap { Int($0) }
      guard numbers.count == 2, numbers.allSatisfy({ (1...10_000).contains($0) }) else {
        throw UsageError("--size: invalid size \(Value.quoted(text)); use COLSxROWS, such as 80x24")
      }
      options.size = Size(columns: numbers[0], rows: numbers[1])
    },
    OptionDescription("plain", summary: "prompt line by line, without a screen") { options, _ in
      options.promptsByLine = true
    },
    OptionDescription(
      "pick",
      summary: "print the marked or shown records when the screen is left; ^C or Esc cancels"
    ) { options, _ in options.picks = true },
    OptionDescription("no-color", summary: "disable color (also: NO_COLOR)") {
      options,
      _ in options.usesColor = false
    },
    OptionDescription(
      "theme",
      "NAME",
      summary: "colors: \(Theme.names.joined(separator: ", ")), or a theme file",
      completion: .words(Theme.names)
    ) { $0.theme = $1 },
    OptionDescription(
      "config",
      "FILE",
      summary: "use this configuration file (default: ~/.config/catalog/config)",
      completion: .files
    ) { $0.configurationPath = $1 },
    OptionDescription(
      "completions",
      "SHELL",
      summary: "print the completions of a shell: bash, zsh or fish",
      completion: .words(ShellCompletions.Shell.allCases.map(\.rawValue))
    ) { options, text in
      guard let shell = ShellCompletions.Shell(rawValue: text) else {
        throw UsageError(
          Suggestion.message(
            "unknown shell",
            text,
            among: ShellCompletions.Shell.allCases.map(\.rawValue)
          )
        )
      }
      options.completions = shell
    },
    OptionDescription(
      "complete",
      "LINE",
      summary: "print what can follow in a command line, for completions"
    ) { $0.completedLine = $1 },
    OptionDescription("help", letter: "h", summary: "show this help") { options, _ in
      options.showsHelp = true
    },
    OptionDescription("version", summary: "show the version") { options, _ in
      options.showsVersion = true
    },
  ]
}

extension OptionDescription {
  /// Rejects an option that selects what to work on if it is given twice with different values.
  ///
  /// For options that control the appearance the last value counts, so that a shell alias can be
  /// overridden.
  func refuseContradiction(in options: Options, _ value: String) throws {
    guard let former = given?(options), former != value else { return }
    throw UsageError(
      "duplicate --\(name): \(Value.quoted(former)) and \(Value.quoted(value)); remove one"
    )
  }
}
