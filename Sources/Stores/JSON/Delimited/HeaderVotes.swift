import OpenSwiftData

/// What the columns below a line say about it: whether it has their names, or is one of their values.
struct HeaderVotes {
  typealias Cell = DelimitedSample.Cell
  typealias Row = DelimitedSample.Row

  /// What was found out about the first line.
  struct Decision: Equatable {
    let hasNames: Bool
    /// False if the evidence was thin.
    let isPlain: Bool
  }

  /// The columns in which the first line differs in kind from what is below it.
  private(set) var forNames = 0
  /// The columns in which it is like what is below it.
  private(set) var againstNames = 0
  /// Weak signs for names, minus those against.
  private(set) var weakSigns = 0

  /// True if all evidence is for names, and there is some.
  var areSolid: Bool { forNames > 0 && againstNames == 0 }

  private static let rowLimit = 100

  /// Counts the votes of all columns.
  ///
  /// - Parameters:
  ///   - names: The first line.
  ///   - body: The lines below it.
  ///   - offset: By how much the columns of the body are moved to the right: 1 if they begin with names of rows.
  init(_ names: [Cell], _ body: ArraySlice<Row>, offset: Int = 0) {
    let body = body.prefix(Self.rowLimit)
    let first = names.map(\.seen)
    let sequence = NumberedNames(first, body)
    for (place, cell) in names.enumerated() {
      let below = body.compactMap { row in
        place + offset < row.cells.count ? row.cells[place + offset] : nil
      }
      let column = HeaderColumn(cell, below, place, first, isNumbered: sequence.has(place))
      switch column.vote {
      case .forNames: forNames += 1
      case .againstNames: againstNames += 1
      case .weak(let sign): weakSigns += sign
      case .none: continue
      }
    }
    if sequence.isFound, againstNames == 0 { forNames += 1 }
    if Self.haveStem(first), !Self.haveStem(body, names.count) {
      forNames += 1
      againstNames = 0
    }
  }

  /// Whether the first of some rows has names.
  static func decide(_ rows: [Row]) -> Decision {
    guard let first = rows.first else { return Decision(hasNames: false, isPlain: true) }
    guard rows.count > 1 else { return decide(onlyLine: first) }
    let votes = HeaderVotes(first.cells, rows[1...])
    switch (votes.forNames, votes.againstNames) {
    case (0, _) where first.cells.contains(where: { $0.seen.isMissingWord }):
      return Decision(hasNames: false, isPlain: false)
    case (1..., 0): return Decision(hasNames: true, isPlain: true)
    case (0, 1...): return Decision(hasNames: false, isPlain: true)
    case (1..., 1...):
      return Decision(hasNames: votes.forNames > votes.againstNames, isPlain: false)
    default:
      let isData = votes.weakSigns < 0 && -votes.weakSigns * 2 > first.width
      return Decision(hasNames: !isData, isPlain: votes.weakSigns > 0)
    }
  }

  private static func decide(onlyLine row: Row) -> Decision {
    if row.cells.allSatisfy({ $0.isQuoted && !$0.needsQuotes }) {
      return Decision(hasNames: true, isPlain: false)
    }
    let texts = row.cells.map(\.seen)
    return Decision(
      hasNames: texts.allSatisfy { $0.kind == nil && !$0.isMissingWord },
      isPlain: texts.allSatisfy(\.isIdentifier)
    )
  }

  // MARK: Names with numbers

  /// True for `x1,x2,x3`.
  private static func haveStem(_ texts: [SeenText]) -> Bool {
    let stems = texts.compactMap(\.stem)
    guard texts.count >= 2, stems.count == texts.count else { return false }
    return zip(stems, stems.dropFirst()).allSatisfy {
      $0.name == $1.name && $1.number == $0.number + 1
    }
  }

  /// True if one of the first rows has a stem and numbers, too.
  private static func haveStem(_ body: ArraySlice<Row>, _ count: Int) -> Bool {
    body.prefix(10).contains { row in
      let stems = row.cells.compactMap(\.seen.stem)
      return row.width == count && stems.count == count
        && stems.allSatisfy { $0.name == stems[0].name }
    }
  }
}

/// Names that are whole numbers with one step between them: `country,2020,2021`, `,0,1,2`.
private struct NumberedNames {
  private let first: Int?
  var isFound: Bool { first != nil }

  init(_ names: [SeenText], _ body: ArraySlice<DelimitedSample.Row>) {
    var found: Int?
    for lead in 0..<min(4, names.count) {
      if lead > 0, names[lead - 1].kind != nil { break }
      guard Self.isSequence(names[lead...], lead) else { continue }
      if Self.mostAreSequences(body, from: lead, like: names),
        !(lead == 1 && names[0].bytes.isEmpty)
      {
        continue
      }
      found = lead
      break
    }
    first = found
  }

  func has(_ place: Int) -> Bool { first.map { place >= $0 } ?? false }

  /// True if the names behind the first `lead` ones can be numbers of columns.
  private static func isSequence(_ names: ArraySlice<SeenText>, _ lead: Int) -> Bool {
    guard names.count >= (lead == 0 ? 3 : 2), let (numbers, step) = steps(names) else {
      return false
    }
    if lead == 0 { return numbers[0] == 0 || numbers[0] == 1 }
    return numbers[0] == 0 && step == 1 || numbers[0] == 1 && step == 1
      || numbers.allSatisfy { (1900...2100).contains($0) }
  }

  private static func mostAreSequences(
    _ body: ArraySlice<DelimitedSample.Row>,
    from lead: Int,
    like names: [SeenText]
  ) -> Bool {
    let step = steps(names[lead...])?.step
    let rows = body.prefix(10)
    let same = rows.count { row in
      row.width == names.count && steps(row.cells[lead...].map(\.seen)[...])?.step == step
    }
    return same * 2 > rows.count
  }

  /// The numbers and the step between them; nil if there is not one step.
  private static func steps(_ texts: ArraySlice<SeenText>) -> (numbers: [Int], step: Int)? {
    var numbers: [Int] = []
    for text in texts {
      guard let number = text.smallInteger else { return nil }
      numbers.append(number)
    }
    guard numbers.count >= 2 else { return nil }
    let step = numbers[1] - numbers[0]
    guard step != 0, zip(numbers, numbers.dropFirst()).allSatisfy({ $1 - $0 == step }) else {
      return nil
    }
    return (numbers, step)
  }
}
