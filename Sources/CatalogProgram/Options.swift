import CatalogApp
@preconcurrency import CGetopt
import Glibc
import OpenSwiftData

/// The parsed command line.
struct Options: Equatable {
  var location: String?
  var store: String?
  var usesSample = false
  var schemaPath: String?
  var entity: String?
  /// The sources that `-e` and `--script` name, in the order given.
  var sources: [Source] = []
  var format: OutputFormat?
  /// How lists are printed, besides their format.
  var style = OutputStyle()
  /// True if commands that change data print nothing.
  var isQuiet = false
  var keepsGoing = false
  /// The values that `$NAME` stands for.
  var parameters: [String: String] = [:]
  /// The parameters whose values are environment variables of the same names.
  var environmentParameters: [String] = []
  /// True if each command is answered with a JSON object.
  var answersInJSON = false
  /// When the changes of scripts are saved.
  var saving = SavingMode.atOnce
  var isReadOnly = false
  var history: HistoryRetention?
  /// The argument of `--history` as it was given.
  var historyText: String?
  /// The author that the history records; nil for the user.
  var author: String?
  /// How long to wait for a store that another program has locked; nil for the default.
  var waitSeconds: Double?
  /// The point in the history at which the store is opened; nil for the present.
  var end: HistoryPoint?
  var keysPath: String?
  var size = Size(columns: 80, rows: 24)
  var promptsByLine = false
  var usesColor = true
  var theme: String?
  var configurationPath: String?
  /// The damaged log and the new file of `catalog salvage`.
  var salvage: Salvage?
  /// The shell whose completions are printed.
  var completions: ShellCompletions.Shell?
  /// The location to which `catalog FROM --to TO` converts.
  var destination: String?
  /// The command line up to the cursor whose completions are printed.
  var completedLine: String?
  var showsHelp = false
  var showsVersion = false
}

/// Commands that the command line names.
enum Source: Equatable {
  case command(String)
  case script(String)
}

/// The arguments of `catalog salvage`.
struct Salvage: Equatable {
  let damaged: String
  let new: String
}

/// The reason why the command line is not valid, in one line.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

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
  let summary: String
  let completion: Completion
  /// The value given earlier; nil for an option that accumulates or whose last value counts.
  let given: (@Sendable (Options) -> String?)?
  let apply: @Sendable (inout Options, String) throws -> Void

  init(
    _ name: String,
    _ argument: String? = nil,
    letter: Character? = nil,
    summary: String,
    completion: Completion = .none,
    given: (@Sendable (Options) -> String?)? = nil,
    apply: @escaping @Sendable (inout Options, String) throws -> Void
  ) {
    self.name = name
    self.argument = argument
    self.letter = letter
    self.summary = summary
    self.completion = completion
    self.given = given
    self.apply = apply
  }

  static let all: [OptionDescription] = [
    OptionDescription(
      "store",
      "KIND",
      summary: "store kind: \(StoreKind.names) (default: from LOCATION's extension)",
      completion: .words(StoreKind.all.map(\.name)),
      given: \.store
    ) { options, text in
      guard StoreKind.all.contains(where: { $0.name == text }) else {
        throw UsageError(
          "unknown store kind \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: StoreKind.all.map(\.name))
        )
      }
      options.store = text
    },
    OptionDescription("sample", summary: "fill an empty store with the sample films") {
      options,
      _ in options.usesSample = true
    },
    OptionDescription(
      "schema",
      "FILE",
      summary: "create an empty store with the schema in FILE",
      completion: .files,
      given: \.schemaPath
    ) { $0.schemaPath = $1 },
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
      summary: "output format of scripts: table, json, jsonl, csv, tsv or md",
      completion: .words(OutputFormat.allCases.map(\.rawValue))
    ) {
      options,
      text in
      guard let format = OutputFormat(rawValue: text) else {
        throw UsageError(
          "unknown format \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: OutputFormat.allCases.map(\.rawValue))
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
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      try options.addParameter(String(parts[0]), String(parts[1]))
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
      summary: "convert to a store of any kind, a .csv, .tsv or .md file, or - (--format)",
      completion: .files,
      given: \.destination
    ) { $0.destination = $1 },
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
      guard let point = HistoryPoint(text) else {
        throw UsageError(HistoryPoint.refusal(of: text, after: "--at"))
      }
      options.end = point
    },
    OptionDescription(
      "history",
      "KEEP",
      summary: "history a log keeps when it is compacted: all, none or a number of saves",
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
    OptionDescription("no-color", summary: "disable color (also: NO_COLOR)") {
      options,
      _ in options.usesColor = false
    },
    OptionDescription(
      "theme",
      "NAME",
      summary: "colors: \(Theme.names.joined(separator: ", "))",
      completion: .words(Theme.names)
    ) { options, text in
      guard Theme.named(text) != nil else {
        throw UsageError(
          "unknown theme \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: Theme.names)
        )
      }
      options.theme = text
    },
    OptionDescription(
      "config",
      "FILE",
      summary: "use this configuration file",
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
          "unknown shell \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: ShellCompletions.Shell.allCases.map(\.rawValue))
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
  fileprivate func refuseContradiction(in options: Options, _ value: String) throws {
    guard let former = given?(options), former != value else { return }
    throw UsageError(
      "duplicate --\(name): \(Value.quoted(former)) and \(Value.quoted(value)); remove one"
    )
  }
}

extension Options {
  /// The longest time for `--wait`: a day.
  static let longestWait = 86_400.0

  static let savingConflict = UsageError("--atomic cannot be combined with --dry-run")

  fileprivate mutating func addParameter(_ name: String, _ value: String) throws {
    try requireNewParameter(name, "--arg")
    parameters[name] = value
  }

  fileprivate func requireNewParameter(_ name: String, _ option: String) throws {
    guard name.isParameterName else {
      throw UsageError(
        "\(option): invalid name \(Value.quoted(name)); use letters, digits and _"
      )
    }
    guard parameters[name] == nil, !environmentParameters.contains(name) else {
      throw UsageError("\(option): duplicate parameter \(Value.quoted(name))")
    }
  }

  /// True if the store is never written: by request, or because it is in the past.
  var opensReadOnly: Bool { isReadOnly || end != nil }

  /// The values of all parameters.
  ///
  /// - Throws: `UsageError` for an environment variable that is not set.
  func parameters(in environment: [String: String]) throws -> [String: String] {
    var result = parameters
    for name in environmentParameters {
      guard let value = environment[name] else {
        throw UsageError("--args-env: environment variable \(name) is not set")
      }
      // The environment is decoded with replacement characters.
      guard !value.contains("\u{FFFD}") else {
        throw UsageError("--args-env: environment variable \(name) is not valid UTF-8")
      }
      result[name] = value
    }
    return result
  }

  /// True if the standard input is data, because commands come from `-e` or `--script FILE`.
  var readsInputAsData: Bool { !sources.isEmpty && !sources.contains(.script("-")) }
}

extension Options {
  /// Parses the arguments after the program name with the C library's `getopt_long`.
  ///
  /// - Throws: `UsageError` with a one-line message.
  static func parse(_ arguments: [String]) throws -> Options {
    var options = Options()
    var argv = (["catalog"] + arguments).map { strdup($0) } + [nil]
    let named = OptionDescription.all.map { strdup($0.name) }
    defer { (argv + named).forEach { free($0) } }
    let long =
      zip(OptionDescription.all, named).enumerated().map { index, pair in
        option(
          name: UnsafePointer(pair.1),
          has_arg: pair.0.argument == nil ? 0 : 1,
          flag: nil,
          val: Int32(1000 + index)
        )
      } + [option()]
    optind = 0
    opterr = 0
    while true {
      var index: Int32 = 0
      let place = Int(optind)
      let result = getopt_long(Int32(argv.count - 1), &argv, ":e:h", long, &index)
      if result == -1 { break }
      var value = optarg.map { String(cString: $0) } ?? ""
      guard let description = description(of: result) else {
        throw unknown(argv[max(1, Int(optind) - 1)] ?? argv[max(1, place)], isMissing: result == 58)
      }
      if description.name == "arg" {
        // The second word of the option, whatever it begins with.
        guard Int(optind) < argv.count - 1, let second = argv[Int(optind)] else {
          throw UsageError("option --arg needs a name and a value; see catalog --help")
        }
        value += "=" + String(cString: second)
        optind += 1
      }
      try description.refuseContradiction(in: options, value)
      try description.apply(&options, value)
    }
    let words = argv[Int(optind)..<(argv.count - 1)].compactMap { $0.map { String(cString: $0) } }
    try options.take(words)
    try options.planConversion()
    try options.check()
    return options
  }

  /// Reads the arguments that are not options: a location, or `salvage DAMAGED NEW`.
  private mutating func take(_ words: [String]) throws {
    if words.first == "salvage" {
      guard words.count == 3 else {
        throw UsageError(
          "usage: catalog salvage DAMAGED NEW "
            + "(to open a store named \"salvage\", use ./salvage)"
        )
      }
      guard !isReadOnly else { throw UsageError("salvage cannot be combined with --read-only") }
      salvage = Salvage(damaged: words[1], new: words[2])
      return
    }
    for text in words {
      guard location == nil else {
        throw UsageError(
          "unexpected argument \(Value.quoted(text)); only one LOCATION can be opened"
        )
      }
      location = text
    }
  }

  private static func description(of result: Int32) -> OptionDescription? {
    if result >= 1000 { return OptionDescription.all[Int(result) - 1000] }
    return OptionDescription.all.first { $0.letter?.asciiValue.map { Int32($0) } == result }
  }

  private static func unknown(_ argument: UnsafeMutablePointer<CChar>?, isMissing: Bool)
    -> UsageError
  {
    let text = argument.map { String(cString: $0) } ?? ""
    if isMissing { return UsageError("option \(text) needs a value; see catalog --help") }
    let name = String(text.drop { $0 == "-" }.prefix { $0 != "=" })
    if let known = OptionDescription.all.first(where: { $0.name == name }), known.argument == nil {
      return UsageError("option --\(name) takes no value")
    }
    let near = Suggestion.nearest(to: name, among: OptionDescription.all.map(\.name))
    let hint = near.map { "did you mean --\($0)?" } ?? "see catalog --help"
    return UsageError("unknown option \(text); \(hint)")
  }

  /// Detects options that contradict each other.
  private func check() throws {
    if keysPath != nil, !sources.isEmpty || promptsByLine {
      throw UsageError("--keys cannot be combined with --script, -e or --plain")
    }
    if sources.filter({ $0 == .script("-") }).count > 1 {
      throw UsageError("--script - can be given only once")
    }
    let isScriptOnly = answersInJSON || saving != .atOnce
    if isScriptOnly, keysPath != nil || promptsByLine {
      throw UsageError(
        "--answers, --atomic and --dry-run are for scripts; they cannot be combined with --keys or --plain"
      )
    }
    if usesSample, schemaPath != nil {
      throw UsageError("--sample cannot be combined with --schema")
    }
    if location == "" { throw UsageError("empty LOCATION") }
  }

  /// The text of `--help`.
  static var help: String {
    var text = """
      catalog - browse and edit records in a terminal

      catalog [OPTIONS] [LOCATION]
      catalog FROM --to TO            convert a store, a .csv or .tsv file or standard input (-)
      catalog salvage DAMAGED NEW     copy the readable records of a damaged log to a new one

      LOCATION is a path or \(StoreKind.locations). Without one it is catalog.json in
      $XDG_DATA_HOME/catalog (by default ~/.local/share/catalog); if it does not exist, catalog
      starts with the sample films, unsaved.

      Options:

      """
    for option in OptionDescription.all {
      let name =
        option.name == "command"
        ? "-e COMMAND" : "--\(option.name)" + (option.argument.map { " \($0)" } ?? "")
      text += "  " + name.padding(to: 20) + "  " + option.summary + "\n"
    }
    text += """

      If standard input and output are a terminal, the screen opens; otherwise commands are read
      from standard input. "catalog -e help" lists the commands; ? on the screen shows the keys.

      Exit status: 0 success, 1 command failed, 2 usage error, 3 unsaved changes discarded,
      4 store could not be opened or its last save may be lost, 5 save failed or outcome
      unknown, 128+n killed by signal n.

      """
    return text
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self
  }
}
