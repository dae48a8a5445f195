/// The role of a cell on the screen, from which the theme derives its style.
package enum Role: UInt8, CaseIterable, Hashable, Sendable {
  case normal, title, header, headerSorted, headerCurrent, gutter
  case cursorRow, cursorCell, marked, cursorMarked
  case inserted, changed, deleted
  /// A value that another program changed and nobody has looked at yet.
  case foreign
  case null, empty, number, match
  case status, statusWarning, hint, hintKey, hintDisabled
  case error, warning, success, message
  case prompt, field, fieldLabel, fieldFocused, fieldInvalid, fieldDisabled, selection
  case border, dim, bar, barRest
  case popup, popupTitle, popupBorder, popupSelected, popupHint
  case tab, tabSelected
}
