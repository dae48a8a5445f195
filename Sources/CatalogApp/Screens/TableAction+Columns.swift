/// The keys of the columns of the table.
extension TableAction {
  /// The keys and the summary of an action on columns; nil for all others.
  var columnBinding: KeyBinding? {
    func binding(_ key: Character, _ summary: String, takesCount: Bool = false) -> KeyBinding {
      KeyBinding("Columns", [.character(key)], summary, takesCount: takesCount)
    }
    return switch self {
    case .columns: binding("C", "list all columns, to show, hide and arrange them")
    case .goToColumn: binding("'", "go to a column by typing its name")
    case .hideColumn: binding("-", "hide this column; C lists it")
    case .moveColumnLeft: binding("<", "move this column to the left", takesCount: true)
    case .moveColumnRight: binding(">", "move this column to the right", takesCount: true)
    case .narrowColumn: binding("[", "make this column narrower", takesCount: true)
    case .widenColumn: binding("]", "make this column wider", takesCount: true)
    case .fitColumn:
      binding("_", "fit this column to its widest value; again for the automatic width")
    case .freezeColumn:
      binding("|", "keep this column at the left while others scroll, or let it scroll")
    case .expandColumn:
      binding("(", "show the members of objects, or the fields of linked records, as columns")
    case .collapseColumn: binding(")", "remove the columns that were added for this field")
    default: nil
    }
  }

  /// The request of an action on the current column; nil for all others.
  func columnRequest(count: Int?, _ table: TableState) -> ColumnRequest? {
    let count = min(count ?? 1, 1000)
    return switch self {
    case .columns: .list
    case .hideColumn: .hide(nil)
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
