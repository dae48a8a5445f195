import OpenSwiftData

/// Finding few steps of a random run that still show a fault.
extension RandomRun {
  /// How long to look for fewer steps.
  private static let limit = Duration.seconds(5)

  /// Runs the steps and compares all records in the end.
  ///
  /// - Returns: The place of the step that showed a fault, the last one for a difference in the end; nil if none did.
  static func firstFailure(of steps: [Int], seed: UInt64, _ trial: ConformanceTrial) -> Int? {
    do {
      var run = try RandomRun(trial, seed: seed)
      for (place, number) in steps.enumerated() {
        do {
          try run.step(number)
        } catch {
          trial.note("seed \(seed), step \(number) threw \(error)")
        }
        if !trial.findings.isEmpty { return place }
      }
      try run.compareEverything()
    } catch {
      trial.note("seed \(seed) threw \(error)")
    }
    return trial.findings.isEmpty ? nil : max(0, steps.count - 1)
  }

  /// Leaves out steps, in halves, quarters and so on, as long as the rest shows a fault.
  static func shrunk(_ steps: [Int], seed: UInt64, _ trial: ConformanceTrial) -> [Int] {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: limit)
    var steps = steps
    var size = max(1, steps.count / 2)
    while true {
      var place = 0
      var isSmaller = false
      while place < steps.count, clock.now < end {
        var rest = steps
        rest.removeSubrange(place..<min(place + size, steps.count))
        if !rest.isEmpty, let last = firstFailure(of: rest, seed: seed, trial.attempt()) {
          steps = Array(rest[...last])
          isSmaller = true
        } else {
          place += size
        }
      }
      if clock.now >= end || size == 1 && !isSmaller { return steps }
      size = max(1, size / 2)
    }
  }

  /// The steps in words.
  static func script(of steps: [Int], seed: UInt64, _ trial: ConformanceTrial) -> String {
    // A store that cannot be made has been reported by the run itself.
    guard var run = try? RandomRun(trial.attempt(), seed: seed) else { return "" }
    for number in steps {
      // The last step may throw; the finding says what.
      try? run.step(number)
    }
    let words = zip(steps, run.script).map { "\($0): \($1)" }
    return words.joined(separator: "; ")
  }
}
