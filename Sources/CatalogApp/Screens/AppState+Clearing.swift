import OpenSwiftData

extension AppState {
  mutating func copyCell() {
    guard let value = table.currentValue else { return }
    request(.copy(value.text))
    say("copied \(Value.quoted(value.text))")
  }

  /// The next thing that Esc clears, the most recent kind first: a range, marks, the search, the
  /// filter, the order.
  var nextToClear: String? {
    if table.anchor != nil { return "range" }
    if !table.marks.isEmpty { return "marks" }
    if !table.search.isEmpty { return "search" }
    if table.filter.isActive { return "filter" }
    return table.sort.isEmpty ? nil : "sort"
  }

  /// Clears the next thing, and reports it and the one after it.
  mutating func clearStep() {
    guard let cleared = nextToClear else {
      say("nothing to clear; press q to quit")
      return
    }
    switch cleared {
    case "range": table.anchor = nil
    case "marks": table.marks.removeAll()
    case "search": table.search = ""
    case "filter":
      table.filter = FilterInput()
      requery()
    default:
      table.sort = []
      requery()
    }
    let next = nextToClear.map { "; press Esc again to clear the \($0)" } ?? ""
    say("cleared the \(cleared)\(next)")
  }
}
