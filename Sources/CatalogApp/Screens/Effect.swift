package import OpenSwiftData

/// An operation that the state requests and `EffectPerformer` performs, or the terminal.
package enum Effect: Hashable, Sendable {
  /// Perform an instruction.
  case perform(Request)
  /// Read a line that was typed after the colon, and perform it. The reason explains why the record
  /// under the cursor is no longer the one for which the line was begun; nil if it still is.
  case read(line: String, lostRecord: String?)
  /// Find the records for an action: those in the given number of rows, or else the selected ones.
  case choose(RecordAction, rows: Range<Int>?)
  /// Query the records and move the cursor to a record if it is in the list; while a filter is typed, to the row that
  /// follows from where the cursor was before.
  case query(QuerySpec, keeping: PersistentIdentifier?, from: CursorOrigin? = nil)
  /// Count some more records of the list when no other work is left.
  case countOn
  /// Count the records of the list up to a row, and move the cursor there; the last row if there are fewer.
  case count(toRow: Int)
  /// Fetch the values of rows of the list.
  case rows(Range<Int>)
  /// Find the nearest row with a text, from a row on in a direction, wrapping around.
  case search(String, from: Int, isForward: Bool)
  /// Count the values of a field in the list.
  case countValues(attribute: String)
  /// Count the records of the list with each value of a field, for its groups.
  case countGroups(attribute: String, of: String)
  /// Describe the values of each column.
  case describeColumns
  /// List the members of the objects in a column, or the fields of the records that it refers to.
  case listMembers(column: String)
  /// Tell if no record has a value at one of the paths into JSON.
  case checkPaths([String])
  /// Find the column that tells the records apart.
  case findTitle
  /// List the values of a field that begin with a text.
  case listValues(attribute: String, prefix: String)
  /// List the values of a field that contain a text, from all records, and the current value if it is one of them.
  case searchValues(attribute: String, text: String, current: String?)
  /// List the titles of the records that a link refers to, if they match a text.
  case listTitles(attribute: String, text: String)
  /// List the records of an entity whose titles match a text, and the current one if the text is empty.
  case listRecords(entity: String, text: String, current: PersistentIdentifier? = nil)
  /// List the names of the views of the entity that are records of the store.
  case listStoredViews
  /// List the files whose path begins with a text.
  case listFiles(String)
  /// Count the rows with a text, and find the position of a row among them.
  case countMatches(String, row: Int)
  /// Read the history of a record.
  case readHistory(PersistentIdentifier)
  /// Read the unsaved changes, and the statements of a save.
  case readChanges
  /// Report the identifiers of rows, to mark them.
  case identify(Range<Int>)
  /// Read the current day, for relative dates.
  case readClock
  /// Put a text on the clipboard.
  case copy(String)
  /// Copy the marked records to the clipboard, each as a line of tab-separated values.
  case copyMarked
  /// Read the values of a field of the marked records, to edit them as lines.
  case readMarked(field: String)
  /// Edit a text in the user's editor, as a file with an ending such as `txt`.
  case edit(String, ending: String = "txt")
  /// Read what the details pane shows of other records.
  case readDetails(DetailsRequest)
  /// Find the row of a record in the list, to move the cursor there.
  case locate(PersistentIdentifier)
  /// Stop the program until it is continued.
  case suspend
  /// Redraw the whole screen.
  case redraw
  /// Change how the terminal is used.
  case use(TerminalSetting)
  /// Keep the views of the store at a location for the next run.
  case keepViews(ViewBook, location: String)
  /// Open another store in place of the current one.
  case open(String)
  /// End the program with a status.
  case quit(Int32)
}

/// A setting of the terminal.
package enum TerminalSetting: Hashable, Sendable {
  /// Use a theme; nil for the one that suits the background of the terminal.
  case theme(Theme?)
  /// Use colors, or none.
  case color(Bool)
  /// Handle the mouse, or leave it to the terminal.
  case mouse(Bool)
}

/// An instruction, with the information for performing it on the screen.
package struct Request: Hashable, Sendable {
  /// The instruction.
  package let instruction: AnyInstruction
  /// The title of the screen that shows its text output.
  var title: String
  /// The values on screen when others were typed over them; nil if none were.
  var shown: ShownValues?
  /// True if the question of the instruction has been answered.
  var isConfirmed = false
  /// The action after it succeeded; nil for none.
  var then: AfterRun?

  init(
    _ instruction: any Instruction,
    title: String? = nil,
    shown: ShownValues? = nil,
    then: AfterRun? = nil
  ) {
    self.instruction = AnyInstruction(instruction)
    self.title = title ?? type(of: instruction).command.name
    self.shown = shown
    self.then = then
  }

  /// The same without its question.
  var confirmed: Request {
    var request = self
    request.isConfirmed = true
    return request
  }
}

/// The action after an instruction has succeeded.
enum AfterRun: Hashable, Sendable {
  /// End the program.
  case quit
  /// End the program without picking records.
  case cancelPicking
  /// Open another store.
  case open(String)
}

/// An instruction for the selected records, which may need a question first.
package struct RecordAction: Hashable, Sendable {
  /// The instruction, whose target is replaced with the records that are found.
  private let instruction: AnyInstruction
  /// The action in words, such as `delete` or `set title of`.
  let verb: String
  /// True if it asks whenever it affects more than one record; otherwise it asks only for records that
  /// are not shown.
  let asksAboveOne: Bool
  /// True if the records were counted from the cursor on, regardless of marks.
  var isCounted = false

  init(_ instruction: some RecordInstruction) {
    self.instruction = AnyInstruction(instruction)
    verb = instruction.verb
    asksAboveOne = instruction.asksAboveOne
  }

  /// The instruction for these records.
  func request(on identifiers: [PersistentIdentifier]) -> Request {
    guard var instruction = instruction.value as? any RecordInstruction else {
      return Request(self.instruction.value)
    }
    instruction.target = .records(identifiers)
    return Request(instruction)
  }
}

extension ShownValues {
  /// Copies the original values of fields.
  init(_ fields: [FieldEditor], of identifier: PersistentIdentifier) {
    self.init(
      identifier: identifier,
      values: Dictionary(
        fields.map { ($0.attribute.name, $0.original) },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }
}

/// A message to the state.
package enum AppMessage: Hashable, Sendable {
  /// Input from the user.
  case input(InputEvent)
  /// The next step of what is played; everything before it has been answered.
  case playNext
  /// Stop playing.
  case stopPlaying
  /// An instruction was performed, or failed.
  case ran(CommandReport)
  /// The list was queried: its extent, the row of the record to keep, and the state of the marked
  /// records.
  ///
  /// The heads are the first records of the groups that are folded, which stand for them.
  case queried(
    QuerySpec,
    ListExtent,
    cursor: Int?,
    marks: MarkStatus = MarkStatus(),
    heads: Set<PersistentIdentifier> = []
  )
  /// More of the list was counted: its extent, the row for the cursor, and the state of the marked records once all
  /// are counted.
  case countedOn(ListExtent, cursor: Int? = nil, marks: MarkStatus? = nil)
  /// The query was not run: its filter names a record that was not found.
  case queryRefused(FilterInput.Problem)
  /// The query was stopped; the previous list, of this entity, is still valid.
  case queryStopped(listed: String)
  /// The query failed, with the reason; the previous list is still valid.
  case queryFailed(String)
  /// The values of a field of the marked records, in their order.
  case markedValues(of: String, [PersistentIdentifier], [Value])
  /// The records for an action, with the first of them in words.
  case chosen(RecordAction, [PersistentIdentifier], labels: [String])
  /// Something was done, in words.
  case said(String)
  /// The marked records as a text for the clipboard, and what to report about them.
  case copied(String, note: String)
  /// Values of rows of the list, from `start` on.
  case rows(start: Int, [TableRow])
  /// The row that a search found, and the extent of the list if the search may have counted on; for a record of a
  /// folded group, the line of the group.
  case found(Int?, text: String, extent: ListExtent? = nil, folded: FoldedMatch? = nil)
  /// How often each value occurs, the most frequent first.
  case counted(attribute: String, [ValueCount], total: Int)
  /// The number of records of the list with each value of a field.
  case groups(of: String, [Value: Int])
  /// What the first records say about each column; the number of them, and whether they are all.
  case described([ColumnFacts], examined: Int, isAll: Bool)
  /// The columns inside a column.
  case members(of: String, [TableColumn])
  /// Values of a field, in order, and how many of the records read have each.
  case values(attribute: String, [Value], counts: [Int] = [])
  /// Values of a field that contain a text, in order, and the number of all that do.
  case foundValues(attribute: String, text: String, [Value], total: Int)
  /// The column that tells the records of an entity apart; nil if none does.
  case title(TableColumn?, of: String)
  /// Records of an entity that match a text, best first, and the number of records they were found among.
  case records(entity: String, text: String, [RecordDetails.Record], total: Int)
  /// The names of the views in the store.
  case storedViews([String])
  /// Paths of files; those of folders end in a slash.
  case files([String])
  /// How many rows hold the text that was searched for.
  case matched(MatchCount)
  /// The history of a record, newest first, or the reason why it could not be read.
  case history(PersistentIdentifier, [HistoryEntry], failure: String?)
  /// The unsaved changes.
  case changes(ChangeLines)
  /// The identifiers that were requested.
  case identified([PersistentIdentifier])
  /// The answer to a question of the screen, from the screen that it opened for it.
  case answered(String)
  /// The current day.
  case clock(CalendarDate)
  /// The text from the user's editor; nil if it was closed without saving.
  case edited(String?)
  /// Another program saved to the store: the new status, a description of the changes, a warning for
  /// the user, the records that are gone, the current conflicts if they are on the screen, and the new and changed
  /// records.
  case refreshed(
    StoreStatus,
    note: String,
    warning: String?,
    gone: Set<PersistentIdentifier>,
    conflicts: [ConflictReport]?,
    changed: Set<PersistentIdentifier> = []
  )
  /// The changes of another program cannot be merged, with the reason; sent once.
  case outdated(StoreStatus, String)
  /// Another store was opened, with the entity that its location names, its views, and a note about them.
  case opened(
    StoreStatus,
    entityName: String? = nil,
    views: ViewBook = ViewBook(),
    note: String? = nil
  )
  /// What the details pane shows of other records.
  case details(RecordDetails)
  /// The row of a record that was looked for; nil if the list does not have it.
  case located(PersistentIdentifier, row: Int?, extent: ListExtent)
  /// Rows of the list could not be read, with the reason.
  case unreadable(String)
  /// An action is not possible now, although nothing failed.
  case refused(String)
  /// Something failed.
  case failed(String)
  /// The unsaved changes could not be kept for recovery, and why.
  case recoveryFailed(String)
}

/// Where the cursor was before a list was filtered.
package struct CursorOrigin: Hashable, Sendable {
  /// The list.
  let spec: QuerySpec
  /// The record; nil if it was not loaded.
  let record: PersistentIdentifier?
  /// Its row.
  let row: Int
  /// The first row on the screen.
  let top: Int
}

/// The number of listed records, and of all records of the entity.
package struct ListExtent: Hashable, Sendable {
  /// The number of records in the list, exact or as far as they are counted.
  package let listed: ListingCount
  /// The number of records of the entity.
  package let all: ListingCount
  /// The number of records that are not in the list because their groups are folded.
  package var foldedCount = 0

  /// The number of records that match, in the list or folded.
  package var matching: ListingCount { listed.adding(foldedCount) }

  /// Creates an extent; a list is never larger than its entity.
  package init(listed: ListingCount, all: ListingCount) {
    self.listed = listed
    self.all = all.isExact || all.number >= listed.number ? all : .atLeast(listed.number)
  }

  /// Creates an extent with exact numbers.
  package init(count: Int, total: Int) {
    self.init(listed: .exact(count), all: .exact(total))
  }

  /// The number of records in the list that are known to be there, or about their number.
  package var count: Int { listed.number }
  /// The number of records of the entity, exact or not.
  package var total: Int { all.number }
  /// True if both numbers are exact.
  package var isExact: Bool { listed.isExact && all.isExact }
}

/// The result of an instruction.
package struct CommandReport: Hashable, Sendable {
  /// The output of the command.
  package enum Answer: Hashable, Sendable {
    /// Done; the text is for the message line.
    case done(String)
    /// Lines to read.
    case lines([String])
    /// The program ends.
    case quit(isDiscarding: Bool)
    /// Something for the screen to do.
    case screen(ScreenRequest)
    /// Not done yet: a question, with details.
    case question(String, [String])
    /// Failed, and why.
    case failed(String)
  }

  /// The performed request; nil for a line that could not be read.
  package let request: Request?
  /// The output of the command.
  package let answer: Answer
  /// The status of the store after the instruction.
  package let status: StoreStatus
  /// The extent of the list after the instruction; nil if the list must be queried.
  package let extent: ListExtent?
  /// The row of the first record that was added to the list.
  package let appearedAt: Int?
  /// Identifiers that were replaced by a save.
  package let remapped: IdentifierMap
  /// The row for the cursor, which follows its record or returns from one that is gone; nil if the
  /// cursor stays.
  package var cursorAt: Int?
  /// The first record that was added to the list.
  package var appeared: PersistentIdentifier?
  /// Records of the list that were deleted, unsaved.
  package var deleted: Set<PersistentIdentifier> = []
  /// The records that were added or restored to the list.
  package var restored: Set<PersistentIdentifier> = []
  /// The restored records that the list does not show.
  package var hidden: Set<PersistentIdentifier> = []
  /// A description of which records of the screen were used; nil if the line named them.
  package var scope: String?
  /// True if it failed because a record to change no longer exists.
  package var isRecordMissing = false
  /// A warning about the result; nil for none.
  package var warning: String?
  /// The conflicts, after a command that found or resolved some; nil otherwise.
  package var conflicts: [ConflictReport]?
  /// True if the outcome of a save is unknown.
  package var isOutcomeUnknown = false
  /// What a failed check found, one line each.
  package var findings: [String] = []
}

/// How often a value occurs.
package struct ValueCount: Hashable, Sendable {
  /// The value.
  package let value: Value
  /// How many records have it.
  package let count: Int
  /// The titles of the records that it refers to; nil for other values.
  package var title: String?
}

/// A record in a folded group, such as one that a search found.
package struct FoldedMatch: Hashable, Sendable {
  let record: PersistentIdentifier
  /// The value that the records of the group have in common.
  let group: Value
}

/// The number of rows with a text, and the position of one row among them.
package struct MatchCount: Hashable, Sendable {
  /// The text.
  package let text: String
  /// The row.
  package let row: Int
  /// Its position among the rows with the text, from 1; nil if it is not one of them or they were not
  /// counted.
  package let place: Int?
  /// The number of rows that hold it.
  package let count: Int
  /// True if there may be more, because not all rows were counted.
  package let isCapped: Bool
}

/// A transaction in the history of one record, or its unsaved changes.
package struct HistoryEntry: Hashable, Sendable {
  /// The token for reverting to it; nil for unsaved changes.
  package let token: Int64?
  /// When and by whom.
  package let title: String
  /// The changes, one line for each field.
  package let lines: [Line]

  /// A change of one field, or a new or deleted record.
  package struct Line: Hashable, Sendable {
    /// The values before and after.
    package let text: String
    /// The field that was changed, with its value before; nil for a new or deleted record.
    package var former: FormerValue?
  }

  /// The value that a field had.
  package struct FormerValue: Hashable, Sendable {
    package let field: String
    package let value: Value
  }
}
