import OpenSwiftData

extension CommandNotes {
  /// Notes a pattern of `like` that seems to be one of SQL, and finds only texts with this very character.
  mutating func notePatterns(of filter: Filter) {
    guard
      let pattern = filter.textMatches.first(where: { match in
        match.operation == .like && match.pattern.contains("%")
          && !match.pattern.contains { "*?".contains($0) }
      })?.pattern
    else { return }
    let remark =
      "like \(Value.quoted(pattern)): % is an ordinary character; * is any text, ? any one character"
    if !remarks.contains(remark) { remarks.append(remark) }
  }
}
