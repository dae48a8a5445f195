import CatalogApp
@preconcurrency import CGetopt
import Glibc
import OpenSwiftData

/// What the command line said.
struct Options: Equatable {
  var location: String?
  var store: String?
  var usesSample = false
  var schemaPath: String?
  var entity: String?
  /// What `-e` and `--script` ask for, in the order given.
  var sources: [Source] = []
  var format: OutputFormat?
  var keepsGoing = false
  var isReadOnly = false
  var history: HistoryRetention?
  /// How that was written.
  var historyText: String?
  var keysPath: String?
  var size = Size(columns: 80, rows: 24)
  var isPlain = false
  var usesColor = true
  var theme: String?
  var configurationPath: String?
  /// The damaged log and the new file of `catalog salvage`.
  var salvage: Salvage?
  var showsHelp = false
  var showsVersion = false
}

/// Commands that the command line names.
enum Source: Equatable {
  case command(String)
  case script(String)
}

/// What `catalog salvage` works on.
struct Salvage: Equatable {
  let damaged: String
  let new: String
}

/// Why the command line cannot be understood: one line.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// One option of the command line: the list that parsing, `--help` and suggestions are made from.
struct OptionDescription: Sendable {
  let name: String
  let argument: String?
  let letter: Character?
  let summary: String
  /// What it was given before; nil for an option of which the last one counts, or which adds up.
  let given: (@Sendable (Options) -> String?)?
  let apply: @Sendable (inout Options, String) throws -> Void

  init(
    _ name: String,
    _ argument: String? = nil,
    letter: Character? = nil,
    summary: String,
    given: (@Sendable (Options) -> String?)? = nil,
    apply: @escaping @Sendable (inout Options, String) throws -> Void
  ) {
    self.name = name
    self.argument = argument
    self.letter = letter
    self.summary = summary
    self.given = given
    self.apply = apply
  }

  static let all: [OptionDescription] = [
    OptionDescription(
      "store",
      "KIND",
      summary: "memory, json or log; otherwise from the ending of LOCATION, else json",
      given: \.store
    ) { options, text in
      guard StoreKind.all.contains(where: { $0.name == text }) else {
        throw UsageError(
          "there is no store \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: StoreKind.all.map(\.name))
        )
      }
      options.store = text
    },
    OptionDescription("sample", summary: "start an empty store with the bundled sample of films") {
      options,
      _ in options.usesSample = true
    },
    OptionDescription(
      "schema",
      "FILE",
      summary: "start an empty store with this schema",
      given: \.schemaPath
    ) { $0.schemaPath = $1 },
    OptionDescription("entity", "NAME", summary: "open on this entity", given: \.entity) {
      $0.entity = $1
    },
    OptionDescription(
      "script",
      "FILE",
      summary: "run the commands in FILE and end; - is standard input; may be repeated"
    ) { $0.sources.append(.script($1)) },
    OptionDescription(
      "command",
      "COMMAND",
      letter: "e",
      summary: "run a command and end; may be repeated"
    ) { $0.sources.append(.command($1)) },
    OptionDescription(
      "format",
      "F",
      summary: "table, json, jsonl, csv or tsv, for what scripts print"
    ) {
      options,
      text in
      guard let format = OutputFormat(rawValue: text) else {
        throw UsageError(
          "there is no format \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: OutputFormat.allCases.map(\.rawValue))
        )
      }
      options.format = format
    },
    OptionDescription("keep-going", summary: "a script goes on after a failed command") {
      options,
      _ in
      options.keepsGoing = true
    },
    OptionDescription("read-only", summary: "nothing is ever written") { options, _ in
      options.isReadOnly = true
    },
    OptionDescription(
      "history",
      "KEEP",
      summary: "all, none or a number: how many saves the history of a log keeps",
      given: \.historyText
    ) { options, text in
      guard let retention = HistoryRetention(text) else {
        throw UsageError(
          "--history takes all, none or a number of saves, not \(Value.quoted(text))"
        )
      }
      options.history = retention
      options.historyText = text
    },
    OptionDescription(
      "keys",
      "FILE",
      summary: "press the keys in FILE without a terminal, then print the screen",
      given: \.keysPath
    ) { $0.keysPath = $1 },
    OptionDescription("size", "COLSxROWS", summary: "the size of that screen, 80x24 if not given") {
      options,
      text in
      let numbers = text.lowercased().split(separator: "x").compactMap { Int($0) }
      guard numbers.count == 2, numbers.allSatisfy({ (1...10_000).contains($0) }) else {
        throw UsageError("the size \(Value.quoted(text)) is not of the form 80x24")
      }
      options.size = Size(columns: numbers[0], rows: numbers[1])
    },
    OptionDescription("plain", summary: "work line by line, without a screen") { options, _ in
      options.isPlain = true
    },
    OptionDescription("no-color", summary: "no colours; NO_COLOR in the environment does the same")
    {
      options,
      _ in options.usesColor = false
    },
    OptionDescription("theme", "NAME", summary: Theme.names.joined(separator: ", ")) {
      options,
      text in
      guard Theme.named(text) != nil else {
        throw UsageError(
          "there is no theme \(Value.quoted(text)); "
            + Suggestion.text(for: text, among: Theme.names)
        )
      }
      options.theme = text
    },
    OptionDescription("config", "FILE", summary: "read this configuration instead of the usual one")
    {
      $0.configurationPath = $1
    },
    OptionDescription("help", letter: "h", summary: "show this help") { options, _ in
      options.showsHelp = true
    },
    OptionDescription("version", summary: "show the version") { options, _ in
      options.showsVersion = true
    },
  ]
}

extension OptionDescription {
  /// Makes sure that an option which says what is worked on says one thing.
  ///
  /// Of options that say how it looks the last one counts, so that an alias of a shell can be overruled.
  fileprivate func refuseContradiction(in options: Options, _ value: String) throws {
    guard let former = given?(options), former != value else { return }
    throw UsageError(
      "--\(name) is given twice: \(Value.quoted(former)) and \(Value.quoted(value)); leave one out"
    )
  }
}

extension Options {
  /// Reads the arguments behind the program's name, with the C library's `getopt_long`.
  ///
  /// - Throws: `UsageError` with one line that says what to do.
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
      let value = optarg.map { String(cString: $0) } ?? ""
      guard let description = description(of: result) else {
        throw unknown(argv[max(1, Int(optind) - 1)] ?? argv[max(1, place)], isMissing: result == 58)
      }
      try description.refuseContradiction(in: options, value)
      try description.apply(&options, value)
    }
    let words = argv[Int(optind)..<(argv.count - 1)].compactMap { $0.map { String(cString: $0) } }
    try options.take(words)
    try options.check()
    return options
  }

  /// Takes what stands beside the options: a location, or `salvage DAMAGED NEW`.
  private mutating func take(_ words: [String]) throws {
    if words.first == "salvage" {
      guard words.count == 3 else {
        throw UsageError(
          "salvage needs a damaged log and a new file: catalog salvage DAMAGED NEW "
            + "(a store of that name is ./salvage)"
        )
      }
      guard !isReadOnly else { throw UsageError("salvage writes a file; leave out --read-only") }
      salvage = Salvage(damaged: words[1], new: words[2])
      return
    }
    for text in words {
      guard location == nil else {
        throw UsageError("\(Value.quoted(text)) is one location too many; only one store is opened")
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
    if isMissing { return UsageError("the option \(text) needs a value; see catalog --help") }
    let name = String(text.drop { $0 == "-" }.prefix { $0 != "=" })
    if let known = OptionDescription.all.first(where: { $0.name == name }), known.argument == nil {
      return UsageError("the option --\(name) takes no value")
    }
    let near = Suggestion.nearest(to: name, among: OptionDescription.all.map(\.name))
    let hint = near.map { "did you mean --\($0)?" } ?? "see catalog --help"
    return UsageError("there is no option \(text); \(hint)")
  }

  /// Finds options that contradict each other.
  private func check() throws {
    if keysPath != nil, !sources.isEmpty || isPlain {
      throw UsageError("--keys goes with neither --script, -e nor --plain")
    }
    if sources.filter({ $0 == .script("-") }).count > 1 {
      throw UsageError("--script - reads standard input to its end; give it once")
    }
    if usesSample, schemaPath != nil {
      throw UsageError("--sample brings its own schema; leave out --schema")
    }
    if location == "" { throw UsageError("the location is empty") }
  }

  /// The text of `--help`.
  static var help: String {
    var text = """
      catalog - browse and edit records in a terminal

      catalog [OPTIONS] [LOCATION]
      catalog salvage DAMAGED NEW     save what can be read of a damaged log into a new one

      LOCATION is a path or json:PATH, log:PATH, memory:. Without one it is catalog.json in
      $XDG_DATA_HOME/catalog (by default ~/.local/share/catalog); if that does not exist yet, it
      starts as the bundled sample, unsaved.

      Options:

      """
    for option in OptionDescription.all {
      let name =
        option.name == "command"
        ? "-e COMMAND" : "--\(option.name)" + (option.argument.map { " \($0)" } ?? "")
      text += "  " + name.padding(to: 20) + "  " + option.summary + "\n"
    }
    text += """

      With a terminal on standard input and output the screen opens; otherwise commands are read
      from standard input. "catalog -e help" lists the commands; ? on the screen shows the keys.

      Exit status: 0 done, 1 a command failed, 2 wrong usage, 3 unsaved changes were discarded,
      4 the store could not be opened, 5 a save failed, 128+n ended by signal n.

      """
    return text
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self
  }
}
