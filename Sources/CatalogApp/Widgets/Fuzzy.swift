/// Matches names by some of their letters in order.
enum Fuzzy {
  /// The places of the entries that match, best first; of equally good ones, the first first.
  ///
  /// The closure gives the name and the summary at a place.
  static func places(
    _ text: String,
    among count: Int,
    _ entry: (Int) -> (String, String)
  ) -> [Int] {
    let ranked = (0..<count).compactMap { place in
      let (name, summary) = entry(place)
      return rank(text, in: name, summary).map { (rank: $0, place: place) }
    }
    return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.place)
  }

  /// Ranks a name, 0 being best; nil if the letters occur neither in it nor in the summary.
  static func rank(_ text: String, in name: String, _ summary: String) -> Int? {
    let wanted = text.lowercased().filter { !$0.isWhitespace }
    if wanted.isEmpty { return 0 }
    let name = name.lowercased().filter { !$0.isWhitespace && $0 != ":" }
    if name == wanted { return 0 }
    if name.hasPrefix(wanted) { return 1 }
    if name.contains(wanted) { return 2 }
    if isSubsequence(wanted, of: name) { return 3 }
    if summary.lowercased().contains(text.lowercased()) { return 4 }
    return nil
  }

  private static func isSubsequence(_ wanted: String, of name: String) -> Bool {
    var rest = wanted[...]
    for letter in name where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}
