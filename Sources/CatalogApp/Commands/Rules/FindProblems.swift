import OpenSwiftData

/// `check RULES`: finds the records that break the rules in a file.
struct CheckRules: Instruction {
  let path: String

  static var command: Command { Check.command }

  func perform(in session: Session) throws -> Outcome {
    try ProblemReport(breaking: path, findsDoubts: false, in: session).outcome(in: session)
  }
}

/// `problems`: finds what looks wrong in the records, and the records that break the rules in a file.
struct FindProblems: Instruction {
  /// The file with the rules; nil for none.
  let path: String?

  static let command = Command(
    "problems",
    usage: "[RULES]",
    summary: "list what looks wrong, such as duplicates and stray spaces (validate, lint)",
    details: """
      Lists, for all entities: white space at the ends of texts, invisible characters, words that other records
      capitalize differently (in a column of few different words), links to records that do not exist,
      records with the same values as an earlier one, and, as a guess, missing values if at least 95% of the
      records have one. With RULES, a file as for "check", the records that break its rules come first, and the
      status is 1 if there are any; what only looks wrong does not change it. At most \(ProblemGroup.limit) records are listed
      for each rule. Unsaved changes are included. On the screen, Enter goes to the record and the field; run "problems"
      again after the changes. Findings cannot be suppressed.
      """,
    progress: "problems …",
    takesFile: true
  ) { arguments, _ in FindProblems(path: arguments.next()?.text) }

  func perform(in session: Session) throws -> Outcome {
    try ProblemReport(breaking: path, findsDoubts: true, in: session).outcome(in: session)
  }
}

extension ProblemReport {
  /// Searches all records that rules are about, or all records.
  ///
  /// - Throws: `CommandError` for a rule that cannot be read, the error of a store, `Interruption.Stopped`.
  fileprivate init(breaking path: String?, findsDoubts: Bool, in session: Session) throws {
    let context = session.context
    var reader = RuleReader(session)
    let rules = try path.map { try reader.rules(inFile: $0) } ?? []
    var byPlace: [(place: Int, group: ProblemGroup)] = []
    var doubts: [ProblemGroup] = []
    for name in context.schema.entities.map(\.name) where name != Session.viewEntityName {
      let own = rules.indices.filter { rules[$0].entityName == name }
      let isDoubtful = findsDoubts && !context.computesRecords(of: name)
      guard !own.isEmpty || isDoubtful else { continue }
      try context.settleTypes(for: Query(name))
      var search = try ProblemSearch(
        of: session.entity(name),
        breaking: own.map { rules[$0] },
        findsDoubts: isDoubtful,
        in: context
      )
      try search.run()
      let groups = search.groups
      byPlace += zip(own, groups.rules).map { (place: $0, group: $1) }
      doubts += groups.doubts
    }
    byPlace.sort { $0.place < $1.place }
    self.init(groups: byPlace.map(\.group) + doubts.filter { $0.count > 0 })
  }

  /// The report as a list on the screen, as a table, or as a failure if a rule is broken.
  fileprivate func outcome(in session: Session) throws -> Outcome {
    let isOnScreen = session.origin.isOnScreen
    if count == 0, isOnScreen || !session.settings.printsJSON { return .done("no problems") }
    if isOnScreen { return .screen(.problems(self)) }
    session.notes.remarks += notes
    guard brokenCount > 0 else { return .table(table) }
    throw BrokenRules(report: self)
  }
}

/// The records that break rules: results for standard output, but also a failure.
struct BrokenRules: FailureWithResult, CustomStringConvertible {
  let report: ProblemReport

  var code: FailureCode { .brokenRule }
  var column: Int? { nil }
  var message: String { description }
  var outcome: Outcome { .table(report.table) }

  var description: String {
    let rules = report.groups.count { $0.isRule && $0.count > 0 }
    return "\(counted(report.brokenCount, "violation")) of \(counted(rules, "rule"))"
  }
}
