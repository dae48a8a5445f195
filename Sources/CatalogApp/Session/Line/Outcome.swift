package import OpenSwiftData

/// The output of a command.
package enum Outcome: Sendable {
  /// Done; the text is only for interactive users, scripts do not print it.
  case done(String)
  /// Done, with a line about a side effect; scripts print the line as well.
  case note(String)
  /// Not done yet: a question to answer first, with details. Only on the screen.
  case question(String, details: [String])
  /// Records to list.
  case records(RecordListing)
  /// One record to show, value by value.
  case record(DefaultSnapshot, Schema.Entity)
  /// Text to print unchanged, line by line.
  case lines([String])
  /// Text to print line by line, with the same in parts for programs.
  case facts(Facts)
  /// Rows under headings.
  case table(OutputTable)
  /// The outcomes of one command for several rows of a file.
  case several([Outcome])
  /// The result of a save.
  case saved(SaveReport)
  /// Ends the program or the script; true to discard unsaved changes without asking.
  case quit(discarding: Bool)
  /// Commands to run one after the other, until one fails; never on the screen.
  case commands([String])
  /// A request to the screen; never in scripts.
  case screen(ScreenRequest)
}

extension [Outcome] {
  /// The same with lists of the same columns that follow each other as one list, which is printed under one heading.
  var joinedLists: [Outcome] {
    var result: [Outcome] = []
    var start = 0
    while start < count {
      let first = self[start]
      let end = Swift.max(self[start...].firstIndex { !first.isList(like: $0) } ?? count, start + 1)
      result.append(end == start + 1 ? first : first.joined(self[start..<end]))
      start = end
    }
    return result
  }
}

extension Outcome {
  /// True for lists with the same columns.
  fileprivate func isList(like other: Outcome) -> Bool {
    switch (self, other) {
    case (.records(let first), .records(let second)):
      first.entity.name == second.entity.name && first.columns == second.columns
    case (.table(let first), .table(let second)): first.columns == second.columns
    default: false
    }
  }

  /// One list with the rows of all.
  fileprivate func joined(_ lists: ArraySlice<Outcome>) -> Outcome {
    switch self {
    case .records(let listing):
      .records(
        RecordListing(
          entity: listing.entity,
          columns: listing.columns,
          identifiers: lists.flatMap { list -> [PersistentIdentifier] in
            if case .records(let part) = list { part.identifiers } else { [] }
          }
        )
      )
    case .table(let table):
      .table(
        OutputTable(
          columns: table.columns,
          rows: lists.flatMap { list -> [[Value]] in
            if case .table(let part) = list { part.rows } else { [] }
          }
        )
      )
    default: self
    }
  }
}

/// A request of a command to the screen.
package enum ScreenRequest: Hashable, Sendable {
  /// Show the records that match.
  case filter(FilterInput)
  /// Sort the table.
  case sort([SortKey])
  /// Group the table by a column; nil ends the groups.
  case group(TableColumn?)
  /// Show the records of another entity.
  case show(entity: String)
  /// Show the records that refer to a record.
  case referrers(to: PersistentIdentifier)
  /// Show the records that break rules or look wrong.
  case problems(ProblemReport)
  /// Move the cursor to a row, counted from 0.
  case move(toRow: Int)
  /// Open another store, or the same one again; the question about unsaved changes can be left out.
  case open(location: String, isDiscarding: Bool = false)
  /// Show the ways to read the file.
  case chooseReading([ReadingChoice])
  /// Save, then quit.
  case saveAndQuit
  /// Show the unsaved changes.
  case changes
  /// Show what a command would change.
  case preview(ChangePreview)
  /// Show the keys and commands.
  case help
  /// Begin the tour.
  case tour
  /// Change the columns of the table.
  case columns(ColumnRequest)
  /// Show or keep a view of the table; the views of the entity that are in the store, as text.
  case view(ViewRequest, stored: [String: String] = [:])
  /// Change settings, with the themes that they name; without changes, list the settings.
  case settings([SettingChange], themes: [String: Theme])
  /// Change or list the keys of the table.
  case bind(BindingRequest)
  /// Run the commands of a key.
  case press(Key)
}

/// Records in an order, to be read page by page.
package struct RecordListing: Sendable {
  /// A column of the listing.
  package struct Column: Hashable, Sendable {
    /// Its heading.
    package let name: String
    /// The index of the field in the layout of the entity; nil for the identifier.
    package let slot: Int?
    /// True when its values are numbers.
    package let isNumeric: Bool
    /// True when its values are bytes.
    package let isBlob: Bool
    /// How many digits its numbers have in the file; nil if they differ.
    package let decimalPlaces: DecimalPlaces?
    /// The way to a field of linked records or into JSON; nil for a field of the entity.
    let path: FieldPath?
    /// True for the identifier.
    var isIdentifier: Bool { slot == nil && path == nil }

    /// Finds the field with a name, or the identifier under the name that it has in this entity; with a schema, the
    /// name may also be a path.
    ///
    /// - Throws: `PersistenceError` that names the nearest field, `CommandError` for a wrong path.
    package init(_ name: String, of entity: Schema.Entity, in schema: Schema? = nil) throws {
      try self.init(name, of: entity, in: schema, computed: [])
    }

    /// The same, which may also be the name of one of the computed columns.
    init(
      _ name: String,
      of entity: Schema.Entity,
      in schema: Schema?,
      computed columns: [FieldPath]
    ) throws {
      self.name = name
      let path =
        try columns.first { $0.name == name }
        ?? schema.flatMap { try FieldPath(name, of: entity, in: $0) }
      self.path = path
      if name == entity.identifierKey {
        (slot, isNumeric, isBlob, decimalPlaces) = (nil, false, false, nil)
      } else if let path {
        (slot, isNumeric, isBlob, decimalPlaces) = (nil, path.type.isNumeric, path.isBlob, nil)
      } else {
        let attribute = try entity.attribute(named: name)
        slot = entity.layout.slot(of: name)
        (isNumeric, isBlob) = (attribute.type.isNumeric, attribute.isBlob)
        decimalPlaces = attribute.decimalPlaces
      }
    }
  }

  /// The entity of the records.
  package let entity: Schema.Entity
  /// The columns to show, in order.
  package let columns: [Column]
  /// The records.
  package let identifiers: [PersistentIdentifier]
  /// True for an export: identifiers of unsaved records are missing, and empty text is marked in tab-separated values.
  var isExport = false
  /// The checks with which the identifiers of rows are printed for programs; nil for identifiers alone.
  var checks: RecordChecks?

  /// The fields that the columns need; nil if that is all of them.
  private var attributes: [String]? {
    var seen: Set<String> = []
    let names = columns.flatMap { $0.isIdentifier ? [] : $0.path?.fields ?? [$0.name] }
      .filter { seen.insert($0).inserted }
    return names.count < entity.fields.count ? names : nil
  }

  /// Reads some of the records with the values that the columns need; those that no longer exist are missing.
  ///
  /// - Throws: The error of a store that cannot be read.
  func page(of identifiers: [PersistentIdentifier], in context: ModelContext) throws
    -> any RecordPage
  {
    let page = try ownPage(of: identifiers, in: context)
    let paths = columns.compactMap(\.path)
    return paths.isEmpty ? page : try PathPage(page, paths, in: context)
  }

  /// The records without the values of linked ones.
  private func ownPage(of identifiers: [PersistentIdentifier], in context: ModelContext) throws
    -> any RecordPage
  {
    do {
      return try context.page(for: identifiers, attributes: attributes)
    } catch let error as PersistenceError where error.code == .unknownAttribute {
      // Another program has removed a field since the records were listed: its column stays empty.
      return try context.page(for: identifiers, attributes: nil)
    }
  }
}

/// Records that are read once, page by page.
struct RecordSource {
  let entity: Schema.Entity
  var columns: [RecordListing.Column]
  let query: Query
  /// The records, if they are already known; nil for those of the query.
  let identifiers: [PersistentIdentifier]?
  /// True if the identifiers of unsaved records, which mean nothing after the program ends, are missing.
  var omitsTemporaryIdentifiers = false
  /// The checks with which the identifiers of rows are printed for programs; nil for identifiers alone.
  var checks: RecordChecks?

  /// Records of the source as a list, perhaps to be exported.
  func listing(of identifiers: [PersistentIdentifier], isExport: Bool = false) -> RecordListing {
    var listing = RecordListing(entity: entity, columns: columns, identifiers: identifiers)
    (listing.isExport, listing.checks) = (isExport, checks)
    return listing
  }
}

/// What a command tells, in words and as parts of a JSON object.
package struct Facts: Sendable {
  /// A part of the answer: its name, and its value as JSON.
  package typealias Member = (name: String, json: String)

  /// The words, one line each.
  package let lines: [String]
  /// The parts in order.
  package let members: [Member]
  /// True if the JSON formats print an object with the parts instead of the lines.
  package let isObject: Bool

  init(_ lines: [String], _ members: [Member], isObject: Bool = false) {
    (self.lines, self.members, self.isObject) = (lines, members, isObject)
  }
}

/// Rows under column headings, with typed values.
package struct OutputTable: Hashable, Sendable {
  /// The headings.
  package let columns: [String]
  /// A value for each heading in each row.
  package let rows: [[Value]]

  package init(columns: [String], rows: [[Value]]) {
    self.columns = columns
    self.rows = rows
  }
}

/// The result of a save.
package struct SaveReport: Hashable, Sendable {
  /// The numbers of records.
  package let inserted, updated, deleted: Int
  /// The identifiers that the save replaced, in order of insertion.
  package let remapped: IdentifierMap
  /// Those of them that a command had printed; the report lists them.
  package var reported = IdentifierMap()
  /// Those that were printed or in an answer for programs.
  package var answered = IdentifierMap()
  /// The schema changes, in words.
  package var schemaChanges: [String] = []
  /// What databases changed by themselves.
  package var effects: [SideEffects] = []
  /// Notes about further work after the save that was done or failed, one line each.
  package var notes: [String] = []

  /// The maximum number of identifiers in a report.
  static let reportedLimit = 100

  /// `t1 -> ID` for the records whose temporary identifiers were printed, at most 100 of them.
  package var identifierLines: [String] {
    let rest = reported.count - Self.reportedLimit
    return reported.prefix(Self.reportedLimit).map { "\($0.temporary) -> \($0.permanent)" }
      + (rest > 0 ? ["… and \(rest) more"] : [])
  }

  /// The summary line.
  package var summary: String {
    "saved: \(inserted) inserted, \(updated) updated, \(deleted) deleted"
  }

  /// The summary without numbers that are zero, which leaves room for more on the screen.
  var shortSummary: String {
    let counts = [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return counts.isEmpty ? summary : "saved: " + counts.joined(separator: ", ")
  }

  /// The summary line; for a save of schema changes alone, a line about the schema instead.
  ///
  /// A save that changes records prints only the summary: scripts rely on the lines that follow it.
  package var printedLines: [String] {
    inserted + updated + deleted == 0 ? lines : [summary]
  }

  /// The summary line, and one for the schema if it changed.
  package var lines: [String] {
    schemaChanges.isEmpty
      ? [summary] : [summary, "schema: " + schemaChanges.joined(separator: "; ")]
  }
}
