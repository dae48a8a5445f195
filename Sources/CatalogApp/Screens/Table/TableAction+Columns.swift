import OpenSwiftData

/// The actions on the columns of the table.
extension TableAction {
  /// The request of an action on the current column; nil for all others.
  func columnRequest(count: Int?, _ table: TableState) -> ColumnRequest? {
    let count = min(count ?? 1, 1000)
    return switch self {
    case .columns: .list
    case .hideColumn: .hide(nil)
    case .identifiers:
      table.showsIdentifiers ? .hide(table.entity?.identifierKey) : .showIdentifier
    case .moveColumnLeft: .move(nil, .by(-count))
    case .moveColumnRight: .move(nil, .by(count))
    case .narrowColumn: .width(nil, .by(-count * Self.widthStep))
    case .widenColumn: .width(nil, .by(count * Self.widthStep))
    case .fitColumn: .width(nil, table.currentColumn?.look.width == nil ? .fit : .automatic)
    case .freezeColumn: .freeze(nil, nil)
    case .expandColumn: .expand(nil)
    case .collapseColumn: .collapse(nil)
    default: nil
    }
  }

  /// The cells by which a key changes the width of a column.
  private static let widthStep = 2
}
