/// When the changes of a script are saved.
package enum SavingMode: Sendable {
  /// By each `save`.
  case atOnce
  /// Once, after the last command, if all commands succeeded: `--atomic`.
  case atEnd
  /// Never: `--dry-run`.
  case never
}
