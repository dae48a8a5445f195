import OpenSwiftData

/// When the changes of a script are saved.
package enum SavingMode: Sendable {
  /// By each `save`.
  case atOnce
  /// Once, after the last command, if all commands succeeded: `--atomic`.
  case atEnd
  /// Never: `--dry-run`.
  case never
}

extension Session {
  /// True if the script has saved and the changes before that are still unsaved, because of its mode.
  var holdsBackSaves: Bool { settings.saving != .atOnce && context.hasMark }
}
