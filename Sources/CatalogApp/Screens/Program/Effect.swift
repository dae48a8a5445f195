package import OpenSwiftData

/// An operation that the state requests and `EffectPerformer` performs, or the terminal.
package enum Effect: Hashable, Sendable {
  /// Perform an instruction.
  case perform(Request)
  /// Read a line that was typed after the colon, and perform it. The reason explains why the record
  /// under the cursor is no longer the one for which the line was begun; nil if it still is. The list is the one in which
  /// the line was typed; nil in the table. What a person has typed may be shown before it happens, the line of a key is not.
  case read(line: String, lostRecord: String?, list: OutputTable? = nil, isTyped: Bool = false)
  /// Answer a question about the list or the store.
  case ask(AnyQuestion)
  /// Put a text on the clipboard.
  case copy(String)
  /// Edit a text in the user's editor, as a file with an ending such as `txt`.
  case edit(String, ending: String = "txt")
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
  /// Put the open store aside, and open the sample for the tour.
  case beginTour
  /// Use the store again that the tour has put aside.
  case endTour
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

extension ShownValues {
  /// Copies the original values of fields.
  init(_ fields: [FieldEditor], of row: TableRow, in entity: Schema.Entity?) {
    let layout = entity.flatMap { row.pending == nil ? $0.layout : nil }
    self.init(
      identifier: row.identifier,
      values: Dictionary(
        fields.map { ($0.attribute.name, $0.original) },
        uniquingKeysWith: { first, _ in first }
      ),
      record: layout.map {
        DefaultSnapshot(
          persistentIdentifier: row.identifier,
          layout: $0,
          orderedValues: row.values
        )
      }
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
  /// The answer to a question about the list or the store.
  case answer(AnyAnswer)
  /// The answer to a question of the screen, from the screen that it opened for it.
  case answered(String)
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
  /// The sample for the tour was opened.
  case toured(StoreStatus)
  /// An action is not possible now, although nothing failed.
  case refused(String)
  /// Something failed.
  case failed(String)
  /// The unsaved changes could not be kept for recovery, and why.
  case recoveryFailed(String)
}

extension AppMessage {
  /// The answer to a question of a kind, with the question; nil for other messages.
  func answer<Asked: Question>(to kind: Asked.Type) -> (question: Asked, answer: Asked.Reply)? {
    if case .answer(let answer) = self { answer.to(kind) } else { nil }
  }
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
