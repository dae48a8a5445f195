/// Finds what somebody probably meant.
package enum Suggestion {
  /// A clause for an error message: the nearest name, or all of them.
  package static func text(for word: String, among names: [String]) -> String {
    if let near = nearest(to: word, among: names) { return "did you mean \"\(near)\"?" }
    let shown = names.prefix(20).joined(separator: ", ")
    return names.isEmpty ? "there are none" : "there is \(shown)\(names.count > 20 ? ", …" : "")"
  }

  /// The name within a third of the letters of the word, upper and lower case being the same.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let wanted = Array(word.lowercased())
    let ranked = names.map { ($0, distance(wanted, Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, wanted.count / 3) else {
      return nil
    }
    return best.0
  }

  /// The number of letters to insert, delete, replace, or swap with their neighbours (the restricted
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
