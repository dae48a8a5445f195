import Testing

/// Commands on the sample in memory, with the expected standard output and standard error.
struct ContractCase: CustomTestStringConvertible, Sendable {
  let commands: [String]
  let output: String
  let status: Int32
  let message: String

  init(_ commands: String..., prints output: String) {
    self.commands = commands
    self.output = output
    status = 0
    message = ""
  }

  init(_ commands: String..., fails message: String, after output: String = "") {
    self.commands = commands
    self.output = output
    status = 1
    self.message = message
  }

  var testDescription: String { commands.joined(separator: "; ") }

  /// Runs the commands and writes permanent identifiers as `ID`.
  ///
  /// A failure prints one line to standard error, which the number of discarded changes may follow.
  func check(_ options: [String] = ["--store", "memory", "--sample"]) throws {
    let folder = try TemporaryFolder()
    try check(options, in: folder)
  }

  func check(_ options: [String], in folder: TemporaryFolder) throws {
    let run = try folder.run(options + commands.flatMap { ["-e", $0] })
    #expect(withoutIdentifiers(run.output) == output, "\(run.errors)")
    let lines = run.errors.split(separator: "\n").filter { !$0.contains("discarded") }
    if status == 0 {
      #expect(lines == [], "\(run.errors)")
      #expect(run.status == (run.errors.isEmpty ? 0 : 3))
    } else {
      #expect(run.status == status, "\(run.errors)")
      #expect(lines.count == 1, "\(run.errors)")
      #expect(lines.first?.hasPrefix("catalog: \(commands.count): ") == true, "\(run.errors)")
      #expect(run.errors.contains(message), "\(run.errors)")
    }
  }
}
