package import OpenSwiftData

/// A column of the table: a field, a path or an expression, and how it is shown.
package struct TableColumn: Hashable, Sendable {
  /// A value inside the value of a field, or in a linked record.
  package struct Path: Hashable, Sendable {
    /// The field where the path begins.
    package let field: String
    /// The type of the values at its end.
    package let type: AttributeType

    /// Describes the values at the end of a path.
    package init(field: String, type: AttributeType) {
      self.field = field
      self.type = type
    }
  }

  /// The name of the field, the path as it is written, or the name of a computed column.
  package internal(set) var name: String
  /// The values of a path; nil for a field and for a computed column.
  package var path: Path?
  /// What it is computed from; nil for a field and for a path.
  package var expression: ColumnExpression?
  /// True if the table does not show it.
  package var isHidden = false
  /// True if it stays on the screen when the columns before it scroll away.
  package var isFrozen = false
  /// The width in cells; nil for that of the values seen so far.
  package var width: Int?
  /// How its values are shown.
  package var format = ColumnFormat()

  /// Creates a column as the table shows it at first.
  package init(_ name: String, path: Path? = nil) {
    self.name = name
    self.path = path
  }

  /// Creates a computed column.
  package init(_ name: String, expression: ColumnExpression) {
    (self.name, self.expression) = (name, expression)
  }

  /// The field whose values are needed; for a computed column there is none of this name.
  package var field: String { path?.field ?? name }

  /// True if its values are those of a field of the records.
  package var isField: Bool { path == nil && expression == nil }

  /// The type of its values; nil if it is not known.
  package func type(in entity: Schema.Entity?) -> AttributeType? {
    path?.type ?? expression?.type ?? entity?.fieldsByName[name]?.type
  }

  /// Why its values cannot be shown in a format; nil if they can, or if their type is not known.
  package func problem(with format: ColumnFormat, of entity: Schema.Entity?) -> String? {
    guard let type = type(in: entity) else { return nil }
    // Values at a path inside JSON may be of any type.
    if !isField, type == .json || path != nil && type == .text { return nil }
    return format.problem(for: type)
  }

  /// The narrowest and the widest column that can be asked for.
  package static let widths = 2...400
}

/// What to do with a column of the table, which is the current one if no name is given.
package enum ColumnRequest: Hashable, Sendable {
  /// Show the screen with all columns.
  case list
  /// Move the cursor to a column, and show it if it is hidden.
  case goTo(String)
  /// Show a field, or the values at a path, next to the current column.
  case show(TableColumn)
  /// Show a computed column: next to the current one, or in place of the one with another name.
  case compute(TableColumn, replacing: String?)
  /// Remove a computed column.
  case remove(String)
  /// Show a column that is hidden, where it is.
  case reveal(String)
  /// Show the identifiers again.
  case showIdentifier
  /// Show all fields.
  case showAll
  case hide(String?)
  case move(String?, Move)
  case width(String?, Width)
  /// Keep the column on the screen; nil to change whether it is kept.
  case freeze(String?, Bool?)
  case format(String?, ColumnFormat)
  /// Add columns for the members of objects, or for the fields of linked records.
  case expand(String?)
  /// Remove the columns that were added for a field.
  case collapse(String?)
  /// Return to the columns that are shown at first.
  case reset

  /// Where a column goes.
  package enum Move: Hashable, Sendable {
    /// Past the given number of shown columns, to the left if negative.
    case by(Int)
    /// To a place among the shown columns, counted from 1.
    case to(Int)
  }

  /// How wide a column becomes.
  package enum Width: Hashable, Sendable {
    case cells(Int)
    /// Wider by a number of cells, or narrower if negative.
    case by(Int)
    /// As wide as the widest value on the screen.
    case fit
    /// As wide as the values seen so far, within limits.
    case automatic
  }
}
