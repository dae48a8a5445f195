import OpenSwiftData

/// How many records there must be.
struct Expectation: Hashable, Sendable {
  let comparison: Filter.Comparison
  let number: Int

  /// Compares a number of records.
  ///
  /// - Throws: `CommandError` that names both numbers.
  func check(_ count: Int) throws(CommandError) {
    guard !comparison.holds(count, number) else { return }
    let isOne = number == 1 && comparison != .greater && comparison != .notEqual
    throw CommandError(
      "expected \(words) record\(isOne ? "" : "s"), found \(count)",
      code: .expectationFailed
    )
  }

  private var words: String {
    switch comparison {
    case .equal: "\(number)"
    case .notEqual: "any number but \(number) of"
    case .less: "fewer than \(number)"
    case .lessOrEqual: "at most \(number)"
    case .greater: "more than \(number)"
    case .greaterOrEqual: "at least \(number)"
    }
  }
}

extension Arguments {
  /// Reads `expect N` if it is next.
  ///
  /// - Throws: As `requireExpectation()`.
  mutating func takeExpectation() throws -> Expectation? {
    take("expect") ? try requireExpectation() : nil
  }

  /// Reads a number, perhaps after a comparison: `3`, `>=3`, `>= 3`.
  ///
  /// - Throws: `CommandError` for a missing or invalid number.
  mutating func requireExpectation() throws -> Expectation {
    var word = try require("number after \"expect\"")
    var text = word.text[...]
    let spelling = ["<=", ">=", "!=", "==", "=", "<", ">"].first { text.hasPrefix($0) }
    text = text.dropFirst(spelling?.count ?? 0)
    if text.isEmpty, spelling != nil {
      word = try require("number after \"\(spelling ?? "")\"")
      text = word.text[...]
    }
    let comparison = spelling.flatMap { Filter.Comparison(rawValue: $0) } ?? .equal
    return try locating(word) {
      guard let number = Int(text), number >= 0 else {
        throw CommandError(
          "expect: \(Value.quoted(String(text))) is not a whole number of 0 or more"
        )
      }
      return Expectation(comparison: comparison, number: number)
    }
  }
}
