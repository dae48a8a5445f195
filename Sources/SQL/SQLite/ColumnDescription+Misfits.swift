import OpenSwiftData

/// Values other than texts in a column of texts: numbers, which the database orders before all texts, and bytes, which
/// it orders after them.
///
/// A field with such a value shows it as a text, in the form of `MixedText`, from the moment that it is read.
extension ColumnDescription {
  /// What is wrong with a stored value that is not of the form of the column.
  package func misfitMessage(_ stored: SQLValue) -> String {
    let shown = if case .text(let text) = stored { Value.quoted(text) } else { stored.literal }
    return "\(shown) is not a valid \(field.isBlob ? "blob" : field.type.description)"
  }

  /// The condition that a value is not a text in a column of texts; nil if the column cannot have one.
  package var misfitCondition: String? {
    guard isLoose, form.isText else { return nil }
    let name = name.quotedName
    // Numbers become texts in such a column.
    return affinity == .text ? "\(name) >= x''" : "(\(name) < '' OR \(name) >= x'')"
  }

  /// The condition that a value may not be of the form of the column; nil if the form has room for all values.
  package var doubtCondition: String? {
    let name = name.quotedName
    switch form {
    case .mixed: return nil
    case .integer: return "typeof(\(name)) NOT IN ('integer', 'null')"
    case .boolean:
      return "(typeof(\(name)) NOT IN ('integer', 'null') OR \(name) NOT IN (0, 1))"
    case .number:
      // Greater whole numbers may not be exact as floating-point numbers.
      let limit = 1 << 53
      return "(typeof(\(name)) IN ('text', 'blob') OR typeof(\(name)) = 'integer' "
        + "AND \(name) NOT BETWEEN -\(limit) AND \(limit))"
    case .blob: return "typeof(\(name)) NOT IN ('blob', 'null')"
    default: return "\(name) IS NOT NULL"
    }
  }

  /// True if a value that is not a text may be shown as this one.
  func mayMisfitSpell(_ text: SQLValue) -> Bool {
    guard misfitCondition != nil else { return false }
    guard case .text(let spelled) = text else { return true }
    return MixedText.value(of: spelled, convertsText: affinity != .blob) != text
      || affinity.isNumeric && MixedText.looksLikeNumber(text)
  }

  /// True if a value that is not a text may be shown as a greater text, although the database orders it before all.
  func mayMisfitFollow(_ text: SQLValue) -> Bool {
    affinity != .text && (text.firstByte ?? 0) <= UInt8(ascii: "9")
  }

  /// True if a value that is not a text may be shown as a less text, although the database orders it after all.
  func mayMisfitPrecede(_ text: SQLValue) -> Bool {
    text.firstByte ?? 0 >= UInt8(ascii: "x")
  }

  /// True if a value that is not a text may be shown as one that begins with this one.
  func mayMisfitBegin(with text: SQLValue) -> Bool {
    let first = text.firstByte ?? UInt8(ascii: "x")
    return first == UInt8(ascii: "x")
      || affinity != .text && (first == UInt8(ascii: "-") || (48...57).contains(first))
  }
}

extension SQLValue {
  /// The first byte of a text; nil for an empty one and for other values.
  fileprivate var firstByte: UInt8? {
    switch self {
    case .text(let text): text.utf8.first
    case .damagedText(let bytes): bytes.first
    default: nil
    }
  }
}
