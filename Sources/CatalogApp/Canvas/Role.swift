/// The role of a cell on the screen, from which the theme derives its style.
package enum Role: UInt8, CaseIterable, Hashable, Sendable {
  case normal, title, header, headerSorted, headerCurrent
  /// Where the next key acts: one cell or one line of the screen, and its row.
  case cursorCell, cursorRow
  /// The cell of the cursor below another screen, which has the keys.
  case cursorBlur
  /// What the next command takes: a row, and the sign before it.
  case marked, markSign
  /// What is not saved yet: a new record, a changed value, a deleted record.
  case inserted, changed, deleted
  /// A value that another program changed and nobody has looked at yet.
  case foreign
  case null, empty, number, match
  /// A part of the view that is in force, such as a filter.
  case chip
  case status, statusWarning, hint, hintKey, hintDisabled
  case error, warning, success, message
  case prompt, field, fieldLabel, fieldFocused, fieldInvalid, fieldDisabled, selection
  case border, dim, bar, barRest
  case tab, tabSelected
}
