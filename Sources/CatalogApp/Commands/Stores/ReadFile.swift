import OpenSwiftData

/// `read`: reads the file of the store again, in the way that options say.
struct ReadFile: Instruction {
  /// What to do.
  enum Action: Hashable {
    /// Print the options.
    case export
    /// Read with options, and keep them or not.
    case read(ReadingOptions, keeps: Bool)
    /// Show the ways to read the file; on the screen.
    case choose
  }

  let action: Action

  static let command = Command(
    "read",
    usage: "[KEY=VALUE … | auto] [keep] | export",
    summary: "read the file of separated values in another way",
    details: """
      KEY is header (auto, yes, no, rownames), delimiter (auto, a character, tab, space, blanks, none), quote (auto, \",
      ', none), escape (auto, none, \\, tsv), skip (auto, a number of lines), comment (auto, none, a prefix), lines
      (auto, lf, crlf, cr), encoding (auto, utf-8, latin1, utf-16le, utf-16be), missing (none, words such as NA,- that
      stand for a missing value; missing.FIELD for one field), decimal (point, comma), thousands (none, a character,
      space), dates (iso, dmy, mdy, ymd) or blanks (auto, keep, trim). A value with blanks is in double quotes, \\t is a
      tab. What is not given is found out; auto alone finds everything out. The bytes of the file do not change. On
      the screen the file is read like that from now on, and "read" alone shows the choices; a script has to say it in
      each run, before the first command that needs records, or with --read, and keeps it for the screen only with
      "keep". "read export" prints the options.
      """,
    usesRecords: false,
    notation: .text
  ) { arguments, session in
    let text = arguments.rest()
    if text == "export" { return ReadFile(action: .export) }
    if text.isEmpty {
      guard session.origin.isOnScreen else {
        throw CommandError("read: missing options, such as header=no")
      }
      return ReadFile(action: .choose)
    }
    let words = text.split(separator: " ")
    let keeps = words.last == "keep"
    let options = keeps ? words.dropLast().joined(separator: " ") : text
    return ReadFile(
      action: .read(
        try ReadingOptions(inCommand: options),
        keeps: keeps || session.origin.isOnScreen
      )
    )
  }

  func perform(in session: Session) throws -> Outcome {
    let reading = try session.store.requireReading()
    switch action {
    case .export: return .lines([reading.options.isAutomatic ? "auto" : reading.options.text])
    case .choose: return .screen(.chooseReading(try Self.choices(reading, session)))
    case .read(let options, let keeps): return try read(options, keeps: keeps, session)
    }
  }

  /// Reads the file of the store again.
  private func read(_ options: ReadingOptions, keeps: Bool, _ session: Session) throws -> Outcome {
    let isOnScreen = session.origin.isOnScreen
    guard let location = session.store.location, !session.store.isPipe else {
      throw CommandError("read: \(session.store.name) can be read only once; use --read")
    }
    guard !session.context.hasChanges else {
      throw CommandError("read: unsaved changes; run \"save\" or \"revert all\" first")
    }
    guard isOnScreen || !session.store.hasUsedRecords else {
      throw CommandError("read: must come before the commands that need records")
    }
    let words =
      try isOnScreen
      ? Self.checkReading(options, of: location, session) : reopen(location, options, session)
    if keeps { try Self.keep(words, options, of: location, session.services) }
    // Whoever lets the rule decide is not asked again.
    let isKept = keeps && session.services.usesKeptReadings && !options.isAutomatic
    session.settings.saidReading = isKept ? nil : (location, options)
    return isOnScreen
      ? .screen(.open(location: location, isDiscarding: true)) : .done("reading: \(words.words())")
  }

  /// Opens the store again, in a script.
  private func reopen(_ location: String, _ options: ReadingOptions, _ session: Session) throws
    -> FileReading
  {
    let entity = session.entityName
    let former = session.settings.saidReading
    session.settings.saidReading = (location, options)
    do {
      try session.open(location)
    } catch {
      session.settings.saidReading = former
      throw error
    }
    session.entityName = entity
    return try session.store.requireReading()
  }

  /// Opens the file to find out whether it can be read.
  private static func checkReading(
    _ options: ReadingOptions,
    of location: String,
    _ session: Session
  ) throws -> FileReading {
    let services = session.services
    let opened = try services.open(location, schema: nil, isReadOnly: true, reading: options)
    defer { opened.container.close() }
    guard let reading = opened.reading else {
      throw CommandError("read: \(session.store.name) is not a file of separated values")
    }
    return reading
  }

  /// Keeps for the screen that the first line of a new file has names, and says so.
  static func keepNames(of location: String, as command: String, _ session: Session) {
    let options = ReadingOptions.namingColumns
    let said = "--read \(options.text)"
    let doubt = "\(command): the first line of \(location) would not be read as names; "
    do {
      let reading = try checkReading(options, of: location, session)
      try keep(reading, options, of: location, session.services)
      session.notes.remarks += [doubt + "the screen reads it so from now on, a script with \(said)"]
    } catch {
      // The choice cannot be kept for later runs.
      session.notes.remarks += [doubt + "read it with \(said)"]
    }
  }

  private static func keep(
    _ reading: FileReading,
    _ options: ReadingOptions,
    of location: String,
    _ services: any Services
  ) throws {
    let kept = options.isAutomatic ? nil : KeptReading(reading, on: services.clock.today)
    try services.keep(kept, of: location)
  }
}

extension CurrentStore {
  /// How the file is read.
  ///
  /// - Throws: `CommandError` for a store that can be read in one way only.
  fileprivate func requireReading() throws -> FileReading {
    if let reading { return reading }
    throw CommandError("read: \(name) is not a file of separated values")
  }
}

extension ReadingOptions {
  /// Says that the first line has the names of the columns.
  static let namingColumns: ReadingOptions = {
    var options = ReadingOptions()
    options.header = .yes
    return options
  }()
}
