import OpenSwiftData

extension Command {
  /// `check`: looks for damage.
  static let check = Command(
    "check",
    summary: "check the store for damage; print \"ok\" or each problem"
  ) { arguments, session in
    try arguments.finish()
    let findings = try session.maintainableStores.flatMap { try $0.check() }
    guard findings.isEmpty else { throw Findings(findings) }
    return .lines(["ok"])
  }
}
