import OpenSwiftData

extension Session {
  /// Notes a pattern of `like` that seems to be one of SQL, and finds only texts with this very character.
  func notePatterns(of filter: Filter) {
    guard
      let pattern = filter.likePatterns.first(where: { pattern in
        pattern.contains("%") && !pattern.contains { "*?".contains($0) }
      })
    else { return }
    let remark =
      "like \(Value.quoted(pattern)): % is an ordinary character; * is any text, ? any one character"
    if !notes.remarks.contains(remark) { notes.remarks.append(remark) }
  }
}

extension Filter {
  /// The patterns of all tests with `like`.
  fileprivate var likePatterns: [String] {
    switch self {
    case .text(_, let match), .anyText(let match):
      match.operation == .like ? [match.pattern] : []
    case .and(let parts), .or(let parts): parts.flatMap(\.likePatterns)
    case .not(let part): part.likePatterns
    default: []
    }
  }
}
