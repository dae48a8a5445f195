package import OpenSwiftData

/// What the state wants done outside of it, by the one place that may.
package enum Effect: Hashable, Sendable {
  /// Perform an instruction.
  case perform(Request)
  /// Read a line that was typed after the colon, and perform it. The reason says why the record under
  /// the cursor is no longer the one that the line was begun on; nil when it is.
  case read(line: String, lostRecord: String?)
  /// Find the records that an action is for: those in so many rows, or else those selected.
  case choose(RecordAction, rows: Range<Int>?)
  /// List records anew and put the cursor on a record if it is among them.
  case query(QuerySpec, keeping: PersistentIdentifier?)
  /// Fetch the values of rows of the list.
  case rows(Range<Int>)
  /// Find the nearest row with a text, from a row on in a direction, around the end if need be.
  case search(String, from: Int, isForward: Bool)
  /// Count the values of a field in the list.
  case countValues(attribute: String)
  /// List the values of a field that begin with a text.
  case listValues(attribute: String, prefix: String)
  /// List the files whose path begins with a text.
  case listFiles(String)
  /// Count the rows with a text, and tell which of them a row is.
  case countMatches(String, row: Int)
  /// Read the history of a record.
  case readHistory(PersistentIdentifier)
  /// Tell the identifiers of rows, to mark them.
  case identify(Range<Int>)
  /// Put a text on the clipboard.
  case copy(String)
  /// Put the marked records on the clipboard, a line of tab-separated values for each.
  case copyMarked
  /// Have a text edited in the user's editor.
  case edit(String)
  /// Stop the program until it is continued.
  case suspend
  /// Send the whole screen again.
  case redraw
  /// Leave the store for another one.
  case open(String)
  /// End the program with a status.
  case quit(Int32)
}

/// An instruction, and what to know for performing it on the screen.
package struct Request: Hashable, Sendable {
  /// The instruction.
  package let instruction: AnyInstruction
  /// What the screen calls a text that it answers with.
  var title: String
  /// What the record showed when values were typed over it; nil when no values were.
  var shown: ShownValues?
  /// True when the question of the instruction has been answered.
  var isConfirmed = false
  /// What to do after it succeeded; nil for nothing.
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

/// An instruction for the selected records, which may need a question first.
package struct RecordAction: Hashable, Sendable {
  /// The instruction, whose target is replaced by the records that are found.
  private let instruction: AnyInstruction
  /// What it does, such as `delete` or `set title of`.
  let verb: String
  /// True when more than one record is a reason to ask; otherwise only those that are not shown are.
  let asksAboveOne: Bool
  /// True when the records were counted from the cursor on, whatever is marked.
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

/// The values of a record that were on the screen while others were typed.
package struct ShownValues: Hashable, Sendable {
  /// The record.
  package let identifier: PersistentIdentifier
  /// By the name of the field.
  package let values: [String: Value]
  /// What another program made of them since, in words; nil for nothing.
  package internal(set) var warning: String?

  /// Takes what fields were opened with.
  init(_ fields: [FieldEditor], of identifier: PersistentIdentifier) {
    self.identifier = identifier
    values = Dictionary(
      fields.map { ($0.attribute.name, $0.original) },
      uniquingKeysWith: { first, _ in first }
    )
  }
}

/// What the state is told.
package enum AppMessage: Hashable, Sendable {
  /// The person at the terminal did something.
  case input(InputEvent)
  /// An instruction was performed, or failed.
  case ran(CommandReport)
  /// The list was made anew: its extent, the row of the record that was to be kept, and what became of
  /// those marked.
  case queried(ListExtent, cursor: Int?, marks: MarkStanding = MarkStanding())
  /// The list was not made anew: its filter names a record that is not there.
  case queryRefused(FilterInput.Problem)
  /// Making the list anew was stopped; the last one is still there.
  case queryStopped
  /// The records that an action is for, and the first of them in words.
  case chosen(RecordAction, [PersistentIdentifier], labels: [String])
  /// Something was done, in words.
  case said(String)
  /// Values of rows of the list, from `start` on.
  case rows(start: Int, [TableRow])
  /// The row that a search found.
  case found(Int?, text: String)
  /// How often each value occurs, the most frequent first.
  case counted(attribute: String, [ValueCount], total: Int)
  /// Values of a field, in order.
  case values(attribute: String, [Value])
  /// Paths of files; those of folders end in a slash.
  case files([String])
  /// How many rows hold the text that was searched for.
  case matched(MatchCount)
  /// The history of a record, the newest first, or why there is none.
  case history(PersistentIdentifier, [HistoryEntry], failure: String?)
  /// The identifiers that were asked for.
  case identified([PersistentIdentifier])
  /// What came back from the user's editor; nil when it was left without saving.
  case edited(String?)
  /// Others saved to the store: how it is now, what they did in words, what the user should look at,
  /// the records that are gone, and the conflicts as they are now if they are on the screen.
  case refreshed(
    StoreStatus,
    note: String,
    warning: String?,
    gone: Set<PersistentIdentifier>,
    conflicts: [ConflictReport]?
  )
  /// What others wrote cannot be taken in, and why; told once.
  case outdated(StoreStatus, String)
  /// Another store was opened.
  case opened(StoreStatus)
  /// Rows of the list could not be read, and why.
  case unreadable(String)
  /// Something cannot be done now, though nothing failed.
  case refused(String)
  /// Something failed.
  case failed(String)
}

/// How many records the table shows of how many.
package struct ListExtent: Hashable, Sendable {
  /// The number of records in the list.
  package var count: Int
  /// The number of records of the entity.
  package var total: Int

  /// Creates an extent.
  package init(count: Int, total: Int) {
    self.count = count
    self.total = total
  }
}

/// How an instruction went.
package struct CommandReport: Hashable, Sendable {
  /// What the command had to show.
  package enum Answer: Hashable, Sendable {
    /// Done; the text is for the message line.
    case done(String)
    /// Lines to read.
    case lines([String])
    /// The program ends.
    case quit(isDiscarding: Bool)
    /// Something for the screen to do.
    case screen(ScreenRequest)
    /// Not done yet: a question, and what to know for it.
    case question(String, [String])
    /// Failed, and why.
    case failed(String)
  }

  /// What was performed; nil for a line that could not be read.
  package let request: Request?
  /// What it had to show.
  package let answer: Answer
  /// The store afterwards.
  package let status: StoreStatus
  /// The list afterwards; nil when it must be made anew.
  package let extent: ListExtent?
  /// The row of the first record that came into the list.
  package let appearedAt: Int?
  /// Identifiers that were replaced by a save.
  package let remapped: [PersistentIdentifier: PersistentIdentifier]
  /// The row that the cursor goes to, with its record or back from one that is gone; nil when it stays.
  package var cursorAt: Int?
  /// The first record that came into the list.
  package var appeared: PersistentIdentifier?
  /// Records of the list that were deleted, unsaved.
  package var deleted: Set<PersistentIdentifier> = []
  /// Records that came into the list, or back.
  package var restored: Set<PersistentIdentifier> = []
  /// Which records of the screen were taken, in words; nil for those that were named.
  package var scope: String?
  /// True when it failed because the record it was to change no longer exists.
  package var isRecordMissing = false
  /// What the user should look at because of it; nil for nothing.
  package var warning: String?
  /// The conflicts, after a command that found or resolved some; nil otherwise.
  package var conflicts: [ConflictReport]?
  /// True when the system did not say whether a save is on the disk.
  package var isOutcomeUnknown = false
}

/// How often a value occurs.
package struct ValueCount: Hashable, Sendable {
  /// The value.
  package let value: Value
  /// How many records have it.
  package let count: Int
}

/// How many rows hold a text, and which of them one row is.
package struct MatchCount: Hashable, Sendable {
  /// The text.
  package let text: String
  /// The row.
  package let row: Int
  /// Its number among the rows that hold the text, from 1; nil when it is none or not counted.
  package let place: Int?
  /// The number of rows that hold it.
  package let count: Int
  /// True when there may be more, as not all rows were counted.
  package let isCapped: Bool
}

/// A transaction in the history of one record, or what is not saved of it.
package struct HistoryEntry: Hashable, Sendable {
  /// The number by which it is reverted to; nil for what is not saved.
  package let token: Int64?
  /// When and by whom.
  package let title: String
  /// What changed, a line for each field.
  package let lines: [String]
}
