import SQL

/// The forms whose values are read and written without a value of the database in between.
enum DirectForm {
  case text
  case integer
  case number
  case boolean
  /// A moment in tables of our own.
  case moment
  /// Another form.
  case other

  init(_ form: ColumnForm) {
    switch form {
    case .text: self = .text
    case .integer: self = .integer
    case .number: self = .number
    case .boolean: self = .boolean
    case .moment(.own): self = .moment
    default: self = .other
    }
  }
}
