/// Finds the name that the user probably meant.
package enum Suggestion {
  /// Longer words are not typing mistakes, and comparing them would be slow.
  private static let letterLimit = 64
  /// A limit in bytes that allows several bytes per letter.
  private static let sizeLimitBytes = 4 * letterLimit

  /// A clause for an error message: the nearest name, or all of them.
  package static func text(for word: String, among names: [String]) -> String {
    if let near = nearest(to: word, among: names) { return "did you mean \"\(near)\"?" }
    return names.isEmpty ? "none are defined" : "available: \(list(names))"
  }

  /// The first twenty names, each shortened, separated by commas.
  static func list(_ names: [String]) -> String {
    names.prefix(20).map { Value.shortened($0) }.joined(separator: ", ")
      + (names.count > 20 ? ", …" : "")
  }

  /// The name that differs in at most a third of the word's letters, ignoring case.
  ///
  /// Nil if there is none, or for a word of more than 64 letters.
  ///
  /// - Complexity: O(n) in the number of names.
  package static func nearest(to word: String, among names: [String]) -> String? {
    guard !word.isEmpty, word.utf8.count <= sizeLimitBytes else { return nil }
    let wanted = Array(word.lowercased())
    guard wanted.count <= letterLimit else { return nil }
    let limit = max(1, wanted.count / 3)
    let ranked = names.compactMap { name -> (name: String, distance: Int)? in
      guard name.utf8.count <= sizeLimitBytes else { return nil }
      let letters = Array(name.lowercased())
      // The difference in length is a lower bound of the distance.
      guard abs(letters.count - wanted.count) <= limit else { return nil }
      return (name, distance(wanted, letters))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit else {
      return nil
    }
    return best.name
  }

  /// The number of letters to insert, delete, replace, or swap with their neighbors (the restricted
  /// Damerau-Levenshtein distance).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var next = [i + 1]
      for (j, other) in right.enumerated() {
        let replaced = row[j] + (letter == other ? 0 : 1)
        var least = min(replaced, next[j] + 1, row[j + 1] + 1)
        if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
          least = min(least, before[j - 1] + 1)
        }
        next.append(least)
      }
      before = row
      row = next
    }
    return row[right.count]
  }
}
