import OpenSwiftData

/// Matches names by some of their letters in order.
enum Fuzzy {
  /// The places of the entries that match, best first; of equally good ones, the first first.
  ///
  /// The closure gives the name and the summary at a place.
  ///
  /// - Complexity: O(n) in the length of the text, and in that of the entries; a longer text than any entry costs no
  ///   more for each of them.
  static func places(
    _ text: String,
    among count: Int,
    _ entry: (Int) -> (String, String)
  ) -> [Int] {
    let wanted = Wanted(text)
    let ranked = (0..<count).compactMap { place in
      let (name, summary) = entry(place)
      return rank(wanted, in: name, summary).map { (rank: $0, place: place) }
    }
    return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.place)
  }

  /// The places of the entries with words that are nearly those of the text or begin like them, for a text that
  /// matches none; best first.
  static func nearest(
    to text: String,
    among count: Int,
    _ entry: (Int) -> (String, String)
  ) -> [Int] {
    let wanted = words(text).filter { $0.utf8.count <= longestWord }.prefix(mostWords)
    let ranked = (0..<count).compactMap { place -> (rank: Int, place: Int)? in
      let (name, summary) = entry(place)
      let (names, others) = (words(name), words(summary))
      // A word of the name counts twice as much as one of the summary.
      let weight = wanted.reduce(0) { sum, word in
        sum + (isNear(word, names) ? 2 : isNear(word, others) ? 1 : 0)
      }
      return weight > 0 ? (-weight, place) : nil
    }
    return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.place)
  }

  /// Whoever types more does not look for a command.
  private static let (longestWord, mostWords) = (40, 8)

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter }.filter { $0.count > 2 }.map(String.init)
  }

  /// True if one of the words shares its first letters with the wanted one, or differs in few letters.
  private static func isNear(_ wanted: String, _ words: [String]) -> Bool {
    words.contains { zip($0, wanted).prefix { $0 == $1 }.count > 3 }
      || Suggestion.nearest(to: wanted, among: words) != nil
  }

  /// What is looked for, prepared once for all entries.
  private struct Wanted {
    let letters: String
    let letterCount: Int
    /// The text for summaries, with its blanks.
    let text: SearchedWord

    init(_ text: String) {
      letters = text.lowercased().filter { !$0.isWhitespace }
      letterCount = letters.count
      self.text = SearchedWord(text)
    }
  }

  /// Ranks a name, 0 being best; nil if the letters occur neither in it nor in the summary.
  private static func rank(_ wanted: Wanted, in name: String, _ summary: String) -> Int? {
    if wanted.letters.isEmpty { return 0 }
    let name = name.lowercased().filter { !$0.isWhitespace && $0 != ":" }
    // What is longer than the name is not in it.
    if wanted.letterCount <= name.count {
      if name == wanted.letters { return 0 }
      if name.hasPrefix(wanted.letters) { return 1 }
      if name.contains(wanted.letters) { return 2 }
      if isSubsequence(wanted.letters, of: name) { return 3 }
    }
    return wanted.text.occurs(inLowercased: summary.lowercased()) ? 4 : nil
  }

  private static func isSubsequence(_ wanted: String, of name: String) -> Bool {
    var rest = wanted[...]
    for letter in name where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}

/// A text that is looked for in many others, without regard to case.
struct SearchedWord: Hashable, Sendable {
  private let text: String
  /// The number of characters, so that a text that is too long costs nothing.
  let count: Int

  init(_ text: some StringProtocol) {
    self.text = text.lowercased()
    count = self.text.count
  }

  func occurs(inLowercased other: String) -> Bool { count <= other.count && other.contains(text) }
}
