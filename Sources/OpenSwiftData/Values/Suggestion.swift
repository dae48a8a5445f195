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

  /// The number of letters to insert, delete or replace (Levenshtein).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
