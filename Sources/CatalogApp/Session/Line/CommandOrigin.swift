package import OpenSwiftData

/// The place where a command was entered, and what it can use there.
package struct CommandOrigin {
  /// True for a command of the screen, false for one of a script.
  var isOnScreen = false
  /// The records on the screen; nil in scripts, and if no entity is shown.
  var screen: ScreenRecords?
  /// The values on the screen when those of the command were typed; nil if they were not typed over
  /// others.
  var shown: ShownValues?
  /// The list in which the command was typed; nil in the table.
  var list: OutputTable?
  /// True if the command may ask before it changes records that are not visible.
  var asksFirst = false

  /// A script, or the prompt of `--plain`.
  package static var script: CommandOrigin { CommandOrigin() }
}

/// Information about the run of a command, in addition to its outcome.
struct CommandNotes {
  /// The name of its undo step; nil for the name of the command.
  var step: UndoStep.Name?
  /// The same as text.
  var stepName: String? {
    get { step?.text }
    set { step = newValue.map(UndoStep.Name.text) }
  }
  /// A warning for an interactive user; nil for none.
  var warning: String?
  /// Notes that scripts report on standard error and answers list, one line each.
  var remarks: [String] = []
  /// The values that it could not compute, if it is performed to be looked at; nil otherwise.
  var refused: [RefusedValue]?
  /// A description of the screen records that it used; nil if it did not choose any.
  var scope: String?
  /// The number of records that it changed; nil if it does not tell.
  var count: Int?
  /// True if it wrote to a disk.
  var hasWritten = false
  /// True if it resolved the last conflict.
  var hasResolved = false
}

/// The values of a record that were on the screen while others were typed.
package struct ShownValues: Hashable, Sendable {
  /// The record.
  package let identifier: PersistentIdentifier
  /// By the name of the field.
  package let values: [String: Value]
  /// The whole record as it was stored; nil if it had unsaved changes.
  package let record: DefaultSnapshot?
}
