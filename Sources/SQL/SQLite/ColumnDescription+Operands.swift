import OpenSwiftData

/// The columns as operands of conditions and orders.
extension ColumnDescription {
  /// The column as it is read.
  package var expression: String { server?.expression ?? linkedKey ?? name.quotedName }

  /// The column as an operand that is equal to a text with the same bytes only.
  package var operand: String {
    server?.operand ?? expression + (hasCollation ? " COLLATE BINARY" : "")
  }

  /// True if the part of the key is read as the value of the field, too.
  var isReadWithKey: Bool { keyPart != nil && linkedKey == nil }

  /// The column as an operand whose texts have the order of their bytes in UTF-8.
  package var orderedOperand: String {
    if let server { return server.orderedOperand }
    return isWide && form.isText ? "\(name.quotedName) COLLATE \(Self.byteCollation)" : operand
  }

  /// The column as such an operand of an order with constants.
  ///
  /// A column with a numeric affinity turns a constant that looks like a number into one, which is less than all texts.
  /// The sign prevents it, and the use of an index, so it is there only for such constants.
  func orderedOperand(with constants: SQLValue...) -> String {
    isConverting(constants) ? "+" + orderedOperand : orderedOperand
  }

  /// True if the database compares numbers instead of some of these texts.
  func isConverting(_ constants: [SQLValue]) -> Bool {
    affinity.isNumeric && constants.contains(where: MixedText.looksLikeNumber)
  }

  /// The collation of the program that compares texts by their bytes in UTF-8.
  package static let byteCollation = "catalog_bytes"

  /// The condition that a value in a column of numbers is a number; nil if each value is.
  var typeGuard: String? {
    guard isLoose else { return nil }
    switch form {
    case .integer, .number, .boolean: return "typeof(\(name.quotedName)) IN ('integer', 'real')"
    default: return nil
    }
  }

  /// True for a column of numbers that may keep other values as well: NaN as a text, or what another program wrote.
  var isLooseNumber: Bool { form == .number || form == .integer && isLoose }

  /// The column as an operand that sorts as the values do.
  var sortOperand: String {
    if let server { return server.orderedOperand }
    if let collation = form.collation { return "\(name.quotedName) COLLATE \(collation)" }
    switch form {
    case .mixed(let converts, _, _, _, _):
      return "catalog_mixed(\(converts ? 1 : 0), \(name.quotedName))"
        + (isWide ? " COLLATE \(Self.byteCollation)" : "")
    case .moment(let style) where !style.isOrdered:
      return "replace(\(name.quotedName), 'Z', '+00:00')"
    case .link(let link):
      guard case .columns(let converts, _) = link.key else { return orderedOperand }
      // Identifiers that are numbers come first, all others are in the order of their texts.
      let value = expression
      return "(CASE WHEN typeof(\(value)) = 'integer' THEN \(value) "
        + "WHEN \(value) = '' COLLATE BINARY THEN '''''' "
        + "ELSE catalog_mixed(\(converts[0] ? 1 : 0), \(value)) END)"
        + (isWide ? " COLLATE \(Self.byteCollation)" : "")
    default: return orderedOperand
    }
  }
}

extension TableDescription {
  /// The first column of the key as an operand of an order of bytes with constants.
  package func keyOperand(with constants: SQLValue...) -> String {
    let column = columns.first { $0.keyPart == 0 }
    let sign = column?.isConverting(constants) ?? false ? "+" : ""
    return "\(sign)\(keyColumns[0]) COLLATE BINARY"
  }
}
