import OpenSwiftData

/// `export`: writes records to a file of another format.
struct ExportRecords: Instruction {
  /// The path; `-` for standard output.
  let path: String
  let selection: RecordSelection
  /// True if an existing file is replaced.
  let replaces: Bool

  static let command = Command(
    "export",
    usage:
      "FILE [replace] [ENTITY] [where P] [join [all] FILE as NAME by KEY [= COLUMN],…] [by K,… [having P]] [sort [-]FIELD,…] [limit N [per K,…]] [offset N] [fields A,B,… [distinct]]",
    summary: "export records to a file",
    details: """
      The extension of FILE selects the format: .csv, .tsv, .psv, .json, .jsonl, .md, .html or .sql (INSERT
      statements). An existing file is replaced only with the word "replace", or with the option --replace.
      Identifiers of saved records are the first column, unless they are only row numbers, as in files from
      other programs and in views and tables without a key; unsaved records have none. If FILE is -, the
      records go to standard output in the format given by --format. In JSON, without a current entity, all
      entities are exported: an object with an array for each. In a list on the screen, the key e starts this
      command, which then writes the marked lines, or all that are shown.
      """,
    progress: "export …",
    takesFile: true
  ) { arguments, session in
    let path = try arguments.require("file name").text
    let replaces = arguments.takeReplace(in: session)
    if arguments.isEmpty, let list = session.origin.list {
      return ExportList(path: path, list: list, replaces: replaces)
    }
    if arguments.isEmpty, let whole = ExportEverything(to: path, replaces, from: session) {
      return whole
    }
    let shape = arguments.takeShape(in: session)
    let selection = try RecordSelection(reading: &arguments, as: shape, in: session)
    return ExportRecords(path: path, selection: selection, replaces: replaces)
  }

  func perform(in session: Session) throws -> Outcome {
    if path == "-" {
      if let computed = selection.computed {
        return .table(try selection.table(of: computed, in: session, isExport: true))
      }
      let records = try selection.exportSource(in: session)
      let identifiers =
        try records.identifiers ?? session.context.fetchIdentifiers(records.query)
      let listing = records.listing(of: identifiers, isExport: true)
      if let note = session.store.hiddenValuesNote(of: listing.identifiers) {
        session.notes.remarks.append("export: \(note)")
      }
      noteHiddenMembers(of: records.entity.name, session)
      return .records(listing)
    }
    let file = try ExportFile(path, replaces, in: session)
    let table = try selection.computed.map {
      try selection.table(of: $0, in: session, isExport: true)
    }
    let records = try selection.exportSource(in: session)
    guard session.settings.saving != .never else { return .note("would export to \(path)") }
    let count = try file.write(in: session) { printer in
      try table.map(printer.export) ?? printer.printRecords(of: records, session.context)
    }
    let note = table == nil ? try records.hiddenValuesNote(in: session.store) : nil
    if let note, !session.origin.isOnScreen { session.notes.remarks.append("export: \(note)") }
    noteHiddenMembers(of: records.entity.name, session)
    defer { session.notes.scope = nil }
    return .done(
      "exported \(counted(count)) to \(path)"
        + (session.notes.scope.map { " (\($0))" } ?? "")
        + (session.origin.isOnScreen ? note.map { ", \($0)" } ?? "" : "")
    )
  }

  /// Notes what an export of all fields lacks because no field shows it.
  private func noteHiddenMembers(of name: String, _ session: Session) {
    guard selection.columns == nil, selection.computed == nil else { return }
    let isAlone = session.context.schema.entities.count == 1
    session.notes.remarks += session.store.unexportedMembers(of: isAlone ? nil : name)
  }
}

extension RecordSelection {
  /// The records to export: without identifiers that mean nothing elsewhere.
  ///
  /// Places in a file are not exported, nor are temporary identifiers. A column without any identifier is left out,
  /// unless it was asked for.
  ///
  /// - Throws: The error of a store that cannot be read.
  func exportSource(in session: Session) throws -> RecordSource {
    let context = session.context
    var records = try source(in: session)
    records.omitsTemporaryIdentifiers = context.hasChanges
    guard columns == nil else { return records }
    let name = records.entity.name
    let isByPlace = context.container.stores.contains { $0.isIdentifyingByPlace(name) }
    if try isByPlace || records.hasOnlyUnsaved(in: context) {
      records.columns.removeAll(where: \.isIdentifier)
    }
    return records
  }
}

extension RecordSource {
  /// True if there are records, but none of them is saved.
  fileprivate func hasOnlyUnsaved(in context: ModelContext) throws -> Bool {
    guard context.hasChanges else { return false }
    let identifiers =
      try self.identifiers ?? context.fetchIdentifiers(Query(entity.name, filter: query.filter))
    return !identifiers.isEmpty && identifiers.allSatisfy(\.isTemporary)
  }
}

extension CurrentStore {
  /// The members of the file, or of the records of one entity, that an export lacks, one line each.
  func unexportedMembers(of name: String?) -> [String] {
    copyingStores.flatMap { $0.hiddenMembers(of: name) }.map { "not exported: \($0)" }
  }
}

/// `export` in a list on the screen: writes its marked lines, or all that it shows.
struct ExportList: Instruction {
  /// The path; `-` to show the lines as a table.
  let path: String
  let list: OutputTable
  let replaces: Bool

  static let command = ExportRecords.command

  func perform(in session: Session) throws -> Outcome {
    if path == "-" { return .table(list) }
    let file = try ExportFile(path, replaces, in: session)
    guard session.settings.saving != .never else { return .note("would export to \(path)") }
    let count = try file.write(in: session) { try $0.export(list) }
    return .done("exported \(counted(count, "line")) to \(path)")
  }
}

/// A file that an export writes, in the format that its name has.
private struct ExportFile {
  let path: String
  let format: OutputFormat

  /// Checks that the file may be written.
  ///
  /// - Throws: `CommandError` for a name of no format, and for a file that the command must not write.
  init(_ path: String, _ replaces: Bool, in session: Session) throws {
    guard let format = OutputFormat(path: path) else {
      let hint = path.hasSuffix(".catlog") ? "; use \"saveas\" to create a log" : ""
      throw CommandError(
        "\(Value.quoted(path)): unknown format; use a name ending in .csv, .tsv, .json, .jsonl, .md, .html or .sql"
          + hint
      )
    }
    try session.requireExport(to: path, as: "export", replaces)
    (self.path, self.format) = (path, format)
  }

  /// Writes what is printed, and returns the number of rows.
  func write(in session: Session, _ print: (ResultPrinter) throws -> Int) throws -> Int {
    let services = session.services
    var count = 0
    var isDoubtful = false
    try services.writeFile(path) { write in
      try withoutActuallyEscaping(write) { write in
        let printer = ResultPrinter(
          format,
          isTerminal: false,
          style: services.outputStyle,
          readBack: services.delimitedText,
          note: { _ in isDoubtful = true },
          writeBytes: write
        )
        count = try print(printer)
      }
    }
    if isDoubtful { ReadFile.keepNames(of: path, as: "export", session) }
    return count
  }
}

extension Session {
  /// Checks that a command may write a file.
  ///
  /// - Throws: `CommandError` with --read-only, or for the open store.
  func requireExport(to path: String, as command: String, _ replaces: Bool) throws {
    guard !store.isReadOnly || store.isView else {
      throw CommandError(
        "\(command): read-only store (opened with \(store.readOnlyOption)); use - for standard output",
        code: .readOnly
      )
    }
    // The scheme is needed because an extension such as .csv belongs to no store.
    if let own = store.location, try services.isSame(own, "json:" + path) {
      throw CommandError("\(Value.quoted(path)) is the open store; export to another file")
    }
    guard !replaces, services.hasContent(path) else { return }
    throw CommandError("\(Value.quoted(path)) already exists; \(Self.replacementHint)")
  }

  /// How to replace a file that exists.
  static var replacementHint: String {
    "choose another name, or use --replace, or the word replace after the name"
  }
}

extension Arguments {
  /// Reads the word `pivot` or `unpivot`, unless an entity has this name.
  fileprivate mutating func takeShape(in session: Session) -> RecordSelection.Shape {
    RecordSelection.Shape.allCases.first {
      $0 != .list && session.context.schema.entitiesByName[$0.rawValue] == nil && take($0.rawValue)
    } ?? .list
  }

  /// Reads the word `replace` after the name of a file; true also with the option.
  mutating func takeReplace(in session: Session) -> Bool {
    let isEntity = session.context.schema.entitiesByName["replace"] != nil
    return (!isEntity && take("replace")) || session.settings.replacesTargets
  }
}
