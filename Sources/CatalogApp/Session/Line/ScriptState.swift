package import OpenSwiftData

/// What the lines of a script, or of the prompt of `--plain`, have said for those after them.
package struct ScriptState {
  /// The values that `$NAME` stands for; nil for null.
  package var parameters: [String: String?] = [:]
  /// The parameters that are numbers, truth values, arrays or objects of JSON, as they were written.
  var jsonParameters: Set<String> = []
  /// The current line; nil without a script.
  var lineNumber: Int?
  /// True after the last line.
  var isEnding = false
  /// True after the standard input was read as data.
  var hasReadInput = false
  /// The instruction that saves at the end, if one was given.
  var lastSave: (any Instruction)?
  /// The unsaved changes at the last save of a rehearsal; nil before one.
  var rehearsed: RehearsedChanges?
  /// The commands bound to keys; the screen has its own.
  package var boundLines = BoundLines()
  /// True while the commands of a key run.
  var isPressing = false
  /// The temporary identifiers that were printed.
  var identifiers = PrintedIdentifiers()
  /// What `list` without arguments prints, by entity, if it differs from the first table.
  var tables: [String: TableView] = [:]
  /// The views with a name; nil until they are needed.
  var book: ViewBook?
}

/// How a run of the program reads, prints and saves, as its options say.
package struct SessionSettings {
  /// How scripts print.
  package var format: OutputFormat
  /// True if scripts print JSON.
  var printsJSON: Bool { format == .json || format == .jsonl }
  /// The format that `--format` names for data without a file name; nil to recognize it.
  package var inputFormat: OutputFormat?
  /// The options by which the file at a location is read in this run, in place of kept ones; nil if none were given.
  package var saidReading: (location: String, options: ReadingOptions)?
  /// True if commands that write other files replace those that exist.
  package var replacesTargets = false
  /// True if each command is answered by one JSON object.
  package var answersPrograms = false
  /// False if the text of `Outcome.done` is not shown, as in most scripts, so that commands need not create it.
  var showsOutcomes = true
  /// When the changes of a script are saved.
  package var saving = SavingMode.atOnce
}
