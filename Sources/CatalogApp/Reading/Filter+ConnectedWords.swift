import OpenSwiftData

extension Filter {
  /// The condition for words that are typed on the screen, each of which must occur in some field: `apple or plum jam`.
  ///
  /// `and`, or nothing, between words binds more closely than `or`. At the beginning and at the end, and in quotes, both
  /// are words like any others; at the end of a text that is not finished, they are not looked for yet.
  static func words(_ text: String, isFinished: Bool) -> Filter {
    var terms = FilterTerm.split(text)[...]
    func isConnection(_ term: FilterTerm?) -> Bool {
      term.map { ["and", "or"].contains($0.text.lowercased()) } ?? false
    }
    if !isFinished, terms.count > 1, isConnection(terms.last) { terms.removeLast() }
    var alternatives: [[String]] = [[]]
    for place in terms.indices {
      let term = terms[place]
      let isBetween = place > terms.startIndex && place + 1 < terms.endIndex
      if isBetween, isConnection(term), !isConnection(terms[place - 1]) {
        if term.text.lowercased() == "or" { alternatives.append([]) }
      } else {
        alternatives[alternatives.count - 1].append(term.text)
      }
    }
    let parts = alternatives.map { Filter.words($0.joined(separator: " ")) }.filter { $0 != .all }
    return parts.count == 1 ? parts[0] : .or(parts)
  }
}
