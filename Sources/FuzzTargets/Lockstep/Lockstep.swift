/// Runs random scripts on a memory store, a JSON file, a log and a model at the same time.
///
/// The model consists of rules on plain dictionaries. After each line all of them must show the
/// same records and fields. Some scripts begin with a file without a header, as a JSON array and as
/// JSON Lines; two more stores edit these files.
///
/// The same seed gives the same script. If a difference is found, lines are removed while a
/// difference remains, and the result is printed as a script for the user to paste.
package struct Lockstep {
  /// The difference that was found.
  package struct Finding: Error, CustomStringConvertible {
    let step: Int
    let what: String
    package let description: String
  }

  let seed: UInt64
  let stepCount: Int
  let flaw: LockstepFlaw?

  /// Plans a run; a flaw is a planted bug that the run must find.
  package init(seed: UInt64, stepCount: Int = 60, flaw: LockstepFlaw? = nil) {
    self.seed = seed
    self.stepCount = stepCount
    self.flaw = flaw
  }

  /// Runs the script.
  ///
  /// - Returns: How many lines were compared.
  /// - Throws: `Finding` with the shortest script that was found to show it.
  package func run() throws -> Int {
    var plan = LockstepPlan(seed: seed)
    let steps = plan.steps(stepCount)
    guard let finding = try perform(steps) else { return steps.count }
    guard flaw == nil else { throw finding }
    let (short, last) = shortened(Array(steps.prefix(finding.step + 1)), finding)
    let lines = short.map { LockstepStore.line($0) { _, _ in nil } }
    throw Finding(
      step: last.step,
      what: last.what,
      description: "seed \(seed): \(last.what)\n    " + lines.joined(separator: "\n    ")
    )
  }

  /// Removes steps while the remaining ones still show a difference.
  private func shortened(_ steps: [LockstepStep], _ finding: Finding) -> ([LockstepStep], Finding) {
    var (steps, finding) = (steps, finding)
    var size = max(1, steps.count / 2)
    while true {
      var end = steps.count
      while end > 0 {
        var fewer = steps
        fewer.removeSubrange(max(0, end - size)..<end)
        end -= size
        // A run that cannot start shows no difference.
        guard let other = try? perform(fewer) else { continue }
        (steps, finding) = (Array(fewer.prefix(other.step + 1)), other)
        end = min(end, steps.count)
      }
      if size == 1 { return (steps, finding) }
      size /= 2
    }
  }

  /// Runs the steps everywhere and returns the first difference.
  private func perform(_ steps: [LockstepStep]) throws -> Finding? {
    var start: LockstepEntity?
    if case .begin(let entity)? = steps.first { start = entity }
    let kinds = start == nil ? LockstepKind.own : LockstepKind.allCases
    let stores = try kinds.map { try LockstepStore($0, seed: seed, start) }
    for store in stores {
      for (path, text) in LockstepPlan.broken { store.write(text, to: path) }
    }
    var world = LockstepWorld(flaw: flaw)
    for (index, step) in steps.enumerated() {
      let before = world
      let expected = world.take(step)
      guard expected != .senseless else {
        world = before
        continue
      }
      for store in stores {
        do {
          try compare(store, step, expected, before.now, world)
        } catch {
          return finding(index, "\(store.kind.rawValue): \(error)")
        }
      }
    }
    return nil
  }

  private func finding(_ step: Int, _ what: String) -> Finding {
    Finding(step: step, what: what, description: what)
  }

  private func compare(
    _ store: LockstepStore,
    _ step: LockstepStep,
    _ expected: LockstepExpectation,
    _ before: LockstepModel,
    _ world: LockstepWorld
  ) throws {
    let output = try store.perform(step, before)
    if expected == .fails {
      try FuzzViolation.unless(output == nil, "was done, and should fail")
    } else if let output {
      try judge(output, expected)
    } else {
      throw FuzzViolation("failed: \(store.complaint)")
    }
    if case .check = step, expected != .fails {
      try FuzzViolation.unless(output == "ok\n", "\(output ?? "")")
    }
    if case .copy = step, output != nil, let copied = store.copied {
      if let text = copied.difference(from: world.now) { throw FuzzViolation("the copy: \(text)") }
    }
    let contents = try store.contents()
    if let text = contents.difference(from: world.now) { throw FuzzViolation(text) }
    if case .shows(let name, let tag) = expected {
      let shown = LockstepReader.read(output ?? "")
      try FuzzViolation.unless(shown != nil && shown == contents.row(of: name, tag), output ?? "")
    }
  }

  /// Compares the output of a line with the model's expectation for this line alone.
  private func judge(_ output: String, _ expected: LockstepExpectation) throws {
    switch expected {
    case .done(let text?):
      try FuzzViolation.unless(output.hasPrefix(text), "printed \(output.prefix(60)), not \(text)")
    case .tells(let text):
      try FuzzViolation.unless(output.contains(text), "printed \(output), without \(text)")
    case .lists(let tags):
      guard case .array(let rows)? = LockstepReader.read(output) else {
        throw FuzzViolation("is not JSON: \(output)")
      }
      let found = rows.compactMap(LockstepContents.tag)
      try FuzzViolation.unless(found == tags, "lists \(found), not \(tags)")
    case .done(nil), .shows, .fails, .senseless: break
    }
  }
}
