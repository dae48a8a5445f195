/// One value of a first line, and the values below it.
struct HeaderColumn {
  enum Vote: Equatable { case forNames, againstNames, weak(Int), none }

  private let cell: DelimitedSample.Cell
  private let text: SeenText
  private let below: [DelimitedSample.Cell]
  /// The values below that are none of the words for missing values.
  private let full: [SeenText]
  private let place: Int
  private let firstName: SeenText
  private let isNumbered: Bool

  init(
    _ cell: DelimitedSample.Cell,
    _ below: [DelimitedSample.Cell],
    _ place: Int,
    _ names: [SeenText],
    isNumbered: Bool
  ) {
    self.cell = cell
    self.below = below
    self.place = place
    self.isNumbered = isNumbered
    text = cell.seen
    firstName = names[0]
    full = below.map(\.seen).filter { !$0.isMissing }
  }

  var vote: Vote {
    if text.isMissing || full.isEmpty { return .none }
    if isQuotedAlone { return .forNames }
    let kinds = full.map(\.kind)
    if let kind = kinds.compactMap(\.self).first(where: { kind in
      kinds.count { $0 == kind } * 10 >= kinds.count * 9
    }) {
      return vote(over: kind)
    }
    if let kind = text.kind { return vote(of: kind, overTexts: kinds) }
    return voteOfText
  }

  /// True for quotes without need over values without quotes.
  private var isQuotedAlone: Bool {
    cell.isQuoted && !cell.needsQuotes && !below.contains(where: \.isQuoted)
      && below.contains { !$0.text.isEmpty } && !full.contains(text)
  }

  private func vote(over kind: ValueKindSeen) -> Vote {
    guard text.kind == kind else { return .forNames }
    if kind == .number {
      if isNumbered { return .none }
      // A single year behind a text.
      let isYear = text.isYear && place > 0 && firstName.kind == nil
      if isYear, !full.allSatisfy(\.isYear) { return .none }
    }
    return .againstNames
  }

  private func vote(of kind: ValueKindSeen, overTexts kinds: [ValueKindSeen?]) -> Vote {
    switch kind {
    case .date, .time, .boolean:
      return kinds.count { $0 == kind } * 5 > kinds.count ? .againstNames : .none
    case .number, .link:
      return isNumbered || text.isYear && place > 0 ? .none : .againstNames
    }
  }

  private var voteOfText: Vote {
    if let sign = text.bytes.first, !SeenText.isWord(sign), full.count >= 2,
      full.allSatisfy({ $0.bytes.first == sign })
    {
      return .againstNames
    }
    let shape = text.shape
    let shapes = full.map(\.shape)
    let common = shapes.compactMap(\.self).first { one in
      shapes.count { $0 == one } * 10 >= full.count * 9
    }
    if let common { return shape == common ? .againstNames : .forNames }
    if let shape, full.count >= 2, shapes.count(where: { $0 == shape }) * 2 >= full.count {
      return .againstNames
    }
    return .weak(weakSign)
  }

  /// 1 for a sign of a name, −1 for one of a value.
  private var weakSign: Int {
    if full.count > 1, full.contains(text) { return -1 }
    if text.isPlainName, full.count(where: { !$0.isPlainName }) * 10 >= full.count * 6 { return 1 }
    let length = full[0].characterCount
    if full.count >= 3, text.characterCount != length,
      full.allSatisfy({ $0.characterCount == length })
    {
      return 1
    }
    let haveDigits = full.count { $0.digitCount > 0 } * 10 >= full.count * 9
    return text.digitCount == 0 && haveDigits ? 1 : 0
  }
}

extension DelimitedSample.Cell {
  /// True if the text would not be written without quotes.
  var needsQuotes: Bool {
    text.contains { ",;\t|\"\n\r".utf8.contains($0) } || seen.bytes.count != text.count
  }
}
