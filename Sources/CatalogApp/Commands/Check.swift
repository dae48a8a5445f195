import OpenSwiftData

/// `check`: looks for damage.
struct Check: Instruction {
  static let command = Command(
    "check",
    summary: "check the store for damage; print \"ok\" or each problem",
    canBeStopped: true,
    progress: "check …"
  ) { arguments, _ in
    try arguments.finish()
    return Check()
  }

  func perform(in session: Session) throws -> Outcome {
    guard !session.maintainableStores.isEmpty else {
      throw PersistenceError(.unsupported, "check: this store cannot check itself")
    }
    let findings = try session.maintainableStores.flatMap { try $0.check() }
    guard findings.isEmpty else { throw Findings(findings) }
    return .facts(Facts(["ok"], [("problems", "[]")], isObject: true))
  }
}
