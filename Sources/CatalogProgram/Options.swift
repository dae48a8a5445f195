import CatalogApp
@preconcurrency import CGetopt
import Glibc
import OpenSwiftData

/// The parsed command line.
struct Options: Equatable {
  var location: String?
  var store: String?
  var usesSample = false
  /// True if the screen starts with the tour.
  var takesTour = false
  var schemaPath: String?
  var entity: String?
  /// How a file of separated values is read; nil to find it out.
  var reading: ReadingOptions?
  /// True if a file is refused of which it is not certain how it is read.
  var refusesDoubt = false
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
  /// True if the records that the screen showed last are printed when it is left.
  var picks = false
  /// True if the standard input is the store.
  var readsInputAsStore: Bool { location == "-" }
  var usesColor = true
  var theme: String?
  var configurationPath: String?
  /// What is done with files that are not opened as a store.
  var fileTask: FileTask?
  /// The shell whose completions are printed.
  var completions: ShellCompletions.Shell?
  /// The location to which `catalog FROM --to TO` converts.
  var destination: String?
  /// True if `--to`, `export` and `saveas` may replace a file.
  var replacesTargets = false
  /// The clauses that select what `--to` converts, such as `where qty > 3 fields name,qty`.
  var clauses: [String] = []
  /// What `--to` converts.
  var conversion: Conversion?
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

/// What `catalog` does with files that it does not open as a store.
enum FileTask: Equatable {
  case salvage(Salvage)
  case merge(Merge)

  /// Reads the words of a task; nil if they begin with none.
  ///
  /// - Throws: `UsageError` if something is missing or too much.
  init?(_ words: [String]) throws {
    let rest = Array(words.dropFirst())
    switch words.first {
    case "salvage":
      guard rest.count == 2 else { throw Self.usage("salvage", "DAMAGED NEW") }
      self = .salvage(Salvage(damaged: rest[0], new: rest[1]))
    case "merge":
      guard let files = Merge(rest) else {
        throw Self.usage("merge", "BASE OURS THEIRS [by KEY] [as NAME]")
      }
      self = .merge(files)
    default: return nil
    }
  }

  private static func usage(_ name: String, _ words: String) -> UsageError {
    UsageError("usage: catalog \(name) \(words) (to open a store named \"\(name)\", use ./\(name))")
  }
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

extension Options {
  /// The longest time for `--wait`: a day.
  static let longestWait = 86_400.0

  static let savingConflict = UsageError("--atomic cannot be combined with --dry-run")

  mutating func addParameter(_ name: String, _ value: String) throws {
    try requireNewParameter(name, "--arg")
    parameters[name] = value
  }

  func requireNewParameter(_ name: String, _ option: String) throws {
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
      // Foundation reads the name of a variable wrongly if its value begins with a combining character.
      guard let value = environment[name] ?? getenv(name).map({ String(cString: $0) }) else {
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
  var readsInputAsData: Bool {
    !readsInputAsStore && !sources.isEmpty && !sources.contains(.script("-"))
  }
}

extension Options {
  /// True if all commands ask for help, which needs no store.
  var asksForHelp: Bool {
    !sources.isEmpty
      && sources.allSatisfy { source in
        guard case .command(let line) = source else { return false }
        return line.split(whereSeparator: \.isWhitespace).first == "help"
      }
  }
}

extension Options {
  /// True if arguments that cannot be parsed ask for answers in JSON.
  static func asksForAnswers(_ arguments: [String]) -> Bool {
    let words = Array(arguments.prefix { $0 != "--" })
    return words.contains("--answers=jsonl")
      || zip(words, words.dropFirst()).contains { $0 == ("--answers", "jsonl") }
  }

  /// Parses the arguments after the program name with the C library's `getopt_long`.
  ///
  /// - Throws: `UsageError` with a one-line message.
  static func parse(_ arguments: [String]) throws -> Options {
    var options = Options()
    var argv = (["catalog"] + withoutSortSigns(arguments)).map { strdup($0) } + [nil]
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
    // Who asks for help does not know the arguments yet.
    if options.showsHelp { return options }
    let words = argv[Int(optind)..<(argv.count - 1)].compactMap { $0.map { String(cString: $0) } }
    try options.take(words)
    try options.planConversion()
    try options.check()
    return options
  }

  /// Reads the arguments that are not options: a location, `salvage DAMAGED NEW`, or the three files of a merge.
  private mutating func take(_ words: [String]) throws {
    if let task = try FileTask(words) {
      guard !isReadOnly else { throw UsageError("\(words[0]) cannot be combined with --read-only") }
      fileTask = task
      return
    }
    if words.first == "help", sources.isEmpty, access("help", F_OK) != 0 {
      store = store ?? "memory"
      sources = [.command(words.map(CommandText.quoted).joined(separator: " "))]
      return
    }
    for (place, text) in words.enumerated() {
      if location != nil, destination != nil, Self.beginsClause(text) {
        clauses = Array(words[place...])
        return
      }
      guard location == nil else {
        throw UsageError(
          "unexpected argument \(Value.quoted(text)); "
            + (destination == nil
              ? "only one LOCATION can be opened, and commands need -e"
              : "--to takes where, sort, limit, offset and fields; for other lists use -e \"list …\" > FILE")
        )
      }
      location = text
    }
  }

  /// The arguments with a blank before the minus of `sort -FIELD` in a conversion, which would be taken for an option.
  private static func withoutSortSigns(_ arguments: [String]) -> [String] {
    guard let start = arguments.firstIndex(where: { $0 == "--to" || $0.hasPrefix("--to=") }) else {
      return arguments
    }
    return arguments.indices.map { place in
      let isKey =
        place > start && arguments[place - 1].lowercased() == "sort"
        && arguments[place].hasPrefix("-") && !arguments[place].hasPrefix("--")
      return isKey ? " " + arguments[place] : arguments[place]
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
    if takesTour { try checkTour() }
    if location == "" { throw UsageError("empty LOCATION") }
    let isMerge = if case .merge? = fileTask { true } else { false }
    guard reading == nil || location != nil || isMerge else {
      throw UsageError("--read: missing LOCATION")
    }
  }

  /// Detects what the tour cannot be combined with: it has records of its own, and it is about the screen.
  private func checkTour() throws {
    if location != nil {
      throw UsageError("--tour takes no LOCATION; open the file, and type :tour there")
    }
    let others: [(String, Bool)] = [
      ("--store", store != nil), ("--schema", schemaPath != nil), ("--read-only", isReadOnly),
      ("--at", end != nil),
      ("--script", sources.contains { if case .script = $0 { true } else { false } }),
      ("-e", sources.contains { if case .command = $0 { true } else { false } }),
      ("--plain", promptsByLine), ("--pick", picks), ("--answers", answersInJSON),
      ("--to", destination != nil),
    ]
    guard let other = others.first(where: \.1)?.0 else { return }
    throw UsageError("--tour cannot be combined with \(other)")
  }

  /// The text of `--help`.
  static var help: String {
    var text = """
      catalog - browse and edit records in a terminal

      catalog [OPTIONS] [LOCATION]
      catalog FROM --to TO            convert a store, or what standard input (-) contains
      catalog FROM --to TO where P    … only these records; also sort, limit, offset and fields
      catalog help [COMMAND]          explain the commands, or one of them
      catalog salvage DAMAGED NEW     copy the readable records of a damaged log to a new one
      catalog merge BASE OURS THEIRS [by KEY] [as NAME]
                                      merge two versions of a file, as a merge driver of git

      LOCATION is a path or \(StoreKind.locations).
      It may also be a URL that begins with \(StoreKind.urls).
      Without one it is catalog.json in $XDG_DATA_HOME/catalog (by default ~/.local/share/catalog);
      if it does not exist, the screen starts with the sample films, unsaved, and scripts are refused.

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

      Exit status: 0 success, 1 command failed or --pick canceled, 2 usage error, 3 unsaved changes
      discarded, 4 store could not be opened or its last save may be lost, 5 save failed or
      outcome unknown, 128+n killed by signal n.

      """
    return text
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self
  }
}
