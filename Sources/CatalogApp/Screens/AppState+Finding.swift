import OpenSwiftData

extension AppState {
  var noSearchReason: String? {
    table.search.isEmpty ? "no search yet; press / to search" : noEntityReason
  }

  mutating func searchAgain(isForward: Bool) {
    let start = table.row + (isForward ? 1 : -1)
    request(.search(table.search, from: start, isForward: isForward))
  }

  /// Sorts by a column, or reverses its order; `isFurther` keeps the previous sort keys.
  mutating func sort(byColumn column: Int, isFurther: Bool) {
    guard table.attributes.indices.contains(column) else { return }
    let name = table.attributes[column].name
    if let place = table.sort.firstIndex(where: { $0.attribute == name }) {
      let reversed = SortKey(name, isDescending: !table.sort[place].isDescending)
      if isFurther { table.sort[place] = reversed } else { table.sort = [reversed] }
    } else {
      table.sort = (isFurther ? table.sort : []) + [SortKey(name)]
    }
    requery()
  }
}
