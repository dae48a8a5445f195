extension StoreConformance {
  /// A violation of the contract by a store.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The violated claim.
    public let claim: String
    /// The expected and the actual result.
    public let message: String
    /// The sentence of the contract that the claim tests.
    public var contract: String { StoreConformance.contract(of: claim) }
    /// Claim and message.
    public var description: String { "\(claim): \(message)" }
  }

  /// The result of one case.
  public enum Outcome: Hashable, Sendable {
    /// The store satisfies the claim.
    case holds
    /// It does not.
    case fails([Finding])
    /// The store does not make the promise that the claim requires.
    case notOffered(Promises)
  }

  /// The results of all cases.
  ///
  /// `print(report)` shows what fails first, with the sentence of the contract that the store violates, then a line for
  /// each claim that holds, and one with the promises that the store does not make:
  ///
  /// ```
  /// FAILS        0.01 s  everyTextComesBackByteByByte
  ///   title of the record Film 3 (uuid key): expected text "é", found text "é" (byte 1: …)
  ///   contract: Values are returned exactly as they were committed.
  ///   the same: namesMayBeAnyText
  /// holds        0.02 s  limitAndOffsetCutTheSortedRecords
  /// not offered: lastingHistory (1 claim)
  /// 64 hold, 2 fail, 1 not offered, 1.9 s
  /// ```
  public struct Report: Sendable, CustomStringConvertible {
    /// Each case with its outcome, in order.
    public let outcomes: [(testCase: Case, outcome: Outcome)]
    /// How long each case took, in the same order.
    public let durations: [Duration]

    init(_ results: [(Case, Outcome, Duration)]) {
      outcomes = results.map { (testCase: $0.0, outcome: $0.1) }
      durations = results.map(\.2)
    }

    /// The violations of the contract; empty if there are none.
    public var findings: [Finding] {
      outcomes.flatMap { outcome -> [Finding] in
        if case .fails(let findings) = outcome.outcome { findings } else { [] }
      }
    }

    /// The claims that were not tried, and the promises that they require.
    public var notOffered: [(testCase: Case, promises: Promises)] {
      outcomes.compactMap { outcome in
        guard case .notOffered(let missing) = outcome.outcome else { return nil }
        return (testCase: outcome.testCase, promises: missing)
      }
    }

    /// `holds 66 of 66`: the claims that hold, of those that the store offers.
    public var summary: String {
      "holds \(heldCount) of \(outcomes.count - notOffered.count)"
    }

    /// A table in Markdown for the page of a store: each promise with the number of claims that hold.
    ///
    /// Claims without a promise are those that every store must satisfy.
    public var table: String {
      var rows: [(promises: Promises, held: Int, offered: Int)] = []
      for (testCase, outcome) in outcomes {
        if case .notOffered = outcome { continue }
        let place = rows.firstIndex { $0.promises == testCase.needs } ?? rows.count
        if place == rows.count { rows.append((testCase.needs, 0, 0)) }
        rows[place].offered += 1
        if outcome == .holds { rows[place].held += 1 }
      }
      rows.sort { $0.promises.rawValue < $1.promises.rawValue }
      return
        (["| promise | holds |", "|---|---|"]
        + rows.map {
          "| \($0.promises.isEmpty ? "every store" : "\($0.promises)") | \($0.held) of \($0.offered) |"
        }
        + ["| **all** | \(heldCount) of \(outcomes.count - notOffered.count) |"])
        .joined(separator: "\n")
    }

    private var heldCount: Int { outcomes.count { $0.outcome == .holds } }

    /// The violations with the contract, one line for each claim that holds, one for what is not offered, and one with the
    /// totals.
    public var description: String {
      var held: [String] = []
      for ((testCase, outcome), duration) in zip(outcomes, durations) where outcome == .holds {
        held.append("holds        \(Self.seconds(duration))  \(testCase)")
      }
      let failedCount = outcomes.count - heldCount - notOffered.count
      let total = durations.reduce(Duration.zero, +)
      let totals =
        "\(heldCount) hold, \(failedCount) fail, \(notOffered.count) not offered, "
        + Self.seconds(total).drop { $0 == " " }
      return (failures + held + missingPromises + [totals]).joined(separator: "\n")
    }

    /// The claims that fail, with what was found.
    private var failures: [String] {
      let faults = faults
      var lines: [String] = []
      for ((testCase, outcome), duration) in zip(outcomes, durations) {
        guard case .fails(let findings) = outcome else { continue }
        lines.append("FAILS        \(Self.seconds(duration))  \(testCase)")
        guard let fault = faults.first(where: { $0.claims.first == testCase.description }) else {
          continue
        }
        lines += findings.map { "  \($0.message)" }
        lines.append("  contract: \(StoreConformance.contract(of: testCase.description))")
        if fault.claims.count > 1 {
          lines.append("  the same: \(fault.claims.dropFirst().joined(separator: ", "))")
        }
      }
      return lines
    }

    /// A line with the promises that the store does not make, and the number of claims that need each; none if it makes
    /// all.
    private var missingPromises: [String] {
      let counts = Dictionary(grouping: notOffered) { "\($0.promises)" }.mapValues(\.count)
      guard !counts.isEmpty else { return [] }
      let parts = counts.keys.sorted().map { name in
        "\(name) (\(counts[name] ?? 0) \(counts[name] == 1 ? "claim" : "claims"))"
      }
      return ["not offered: " + parts.joined(separator: "; ")]
    }

    /// The claims that fail in the same way, under the first of them.
    ///
    /// Two claims fail in the same way if the first things that they found differ in names and numbers only.
    private var faults: [(kind: String, claims: [String])] {
      var faults: [(kind: String, claims: [String])] = []
      for (testCase, outcome) in outcomes {
        guard case .fails(let findings) = outcome, let first = findings.first else { continue }
        let kind = first.message.replacing(/[0-9a-z]*[0-9][0-9a-z]*|"[^"]*"/, with: "…")
        if let place = faults.firstIndex(where: { $0.kind == kind }) {
          faults[place].claims.append(testCase.description)
        } else {
          faults.append((kind, [testCase.description]))
        }
      }
      return faults
    }

    /// The duration in seconds with two digits, in seven characters.
    private static func seconds(_ duration: Duration) -> String {
      let hundredths = Int((duration / .milliseconds(10)).rounded())
      let text = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
      return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
  }
}
