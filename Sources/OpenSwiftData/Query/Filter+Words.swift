import Foundation

extension Filter {
  /// The filter for plain words: every word occurs in some field, ignoring case and accents.
  ///
  /// Words in double quotes count as one.
  public static func words(_ text: String) -> Filter {
    var words: [String] = []
    for (position, part) in text.split(separator: "\"", omittingEmptySubsequences: false)
      .enumerated()
    {
      words += position % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
    let tests = words.filter { !$0.isEmpty }.map {
      Filter.anyText(
        TextMatch(.contains, $0, options: [.caseInsensitive, .diacriticInsensitive])
      )
    }
    return tests.isEmpty ? .all : tests.count == 1 ? tests[0] : .and(tests)
  }
}
