import Foundation
import Testing

/// What each reading option means for the bytes of a file: what it reads, what an edit writes, and what is refused.
@Suite struct ReadingEditTests {
  /// One line of `Fixtures/reading-edits.jsonl`; a character of a file stands for a byte.
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let option: String
    let file: String
    /// What `--read` says; empty for nothing.
    let read: String
    let bytes: String
    let edits: [String]
    /// The file after a save; nil if it is refused.
    let after: String?
    /// A part of the message if the file, the options or the edit are refused.
    let refused: String?
    /// False if an undo in a later run cannot restore the bytes: columns changed, or a deleted record goes to the end.
    let undoes: Bool?
    /// False if other commands have another way to say that there is no record.
    let imports: Bool?

    var testDescription: String { "\(option): [\(read)] \(bytes.debugDescription) \(edits)" }

    /// The arguments that open the file.
    var opening: [String] { [file] + (read.isEmpty ? [] : ["--read", read]) }
    /// What a command says after the name of the file.
    var clause: String {
      let text = read.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return read.isEmpty ? "" : " read \"\(text)\""
    }
  }

  static let cases: [Case] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/reading-edits.jsonl")
    // Without the file the count below fails.
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Case.self, from: Data($0.utf8))
    }
  }()

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func data(_ text: String) -> Data {
    Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  private func write(_ one: Case) throws {
    try Self.data(one.bytes).write(to: URL(filePath: folder.file(one.file)))
  }

  private func bytes(_ one: Case) throws -> Data {
    try Data(contentsOf: URL(filePath: folder.file(one.file)))
  }

  private func run(_ opening: [String], _ commands: [String], input: Data = Data()) throws
    -> ProgramRun
  {
    let lines = commands.flatMap { ["-e", $0] }
    return try folder.run(opening + ["--format", "json"] + lines, input: input)
  }

  /// The values of the records that a run printed, without their identifiers and what is missing.
  private func values(_ run: ProgramRun) throws -> [NSDictionary] {
    let start = try #require(run.output.firstIndex(of: "["), "\(run)")
    let text = run.output[start...]
    let end = text.range(of: "\n]\n")?.upperBound ?? text.firstIndex(of: "\n") ?? text.endIndex
    let array = try JSONSerialization.jsonObject(with: Data(text[..<end].utf8)) as? [[String: Any]]
    return try #require(array, "\(run)").map { record in
      record.filter { $0.key != "id" && !($0.value is NSNull) } as NSDictionary
    }
  }

  @Test func everyOptionHasCases() {
    let options = Set(Self.cases.map(\.option))
    #expect(Self.cases.count == 137)
    #expect(
      options == [
        "header", "delimiter", "quote", "escape", "skip", "comment", "lines", "encoding", "blanks",
        "missing", "decimal", "thousands", "dates",
      ]
    )
  }

  @Test(arguments: cases.filter { $0.after != nil })
  func anEditChangesItsOwnBytesAndIsReadBack(one: Case) throws {
    try write(one)
    let edited = try run(one.opening, one.edits + ["list", "save"])
    #expect(edited.status == 0, "\(edited)")
    #expect(try bytes(one) == Self.data(one.after ?? ""), "\(edited)")
    let again = try run(one.opening, ["list"])
    #expect(try values(again) == values(edited), "\(again)")
    guard one.undoes ?? true else { return }
    let undone = try run(one.opening, ["undo", "save"])
    #expect(try bytes(one) == Self.data(one.bytes), "\(undone)")
  }

  @Test(arguments: cases.filter { $0.refused != nil })
  func whatCannotBeWrittenIsRefusedAndTheFileStays(one: Case) throws {
    try write(one)
    let refused = try run(one.opening, one.edits + ["save"])
    #expect(refused.status != 0 && refused.errors.contains(one.refused ?? ""), "\(refused)")
    #expect(try bytes(one) == Self.data(one.bytes))
  }

  @Test(arguments: cases)
  func otherCommandsReadTheSame(one: Case) throws {
    try write(one)
    let opened = try run(one.opening, ["list"])
    guard opened.status == 0, one.imports ?? true else { return }
    let expected = try values(opened)
    let imported = try run(["memory:"], ["import \(one.file)\(one.clause)", "list", "quit!"])
    #expect(try values(imported) == expected, "\(imported)")
    let said = one.read.isEmpty ? [] : ["read \(one.read)"]
    let comparison = "diff \(one.file)\(one.clause)"
    var compared = try run([one.file], said + [comparison])
    // A file that the rule refuses is not open when the first command could say how to read it.
    if compared.status == 4 { compared = try run(one.opening, [comparison]) }
    #expect(compared.status == 0, "\(compared)")
    // The name of a pipe promises nothing.
    guard one.file.hasSuffix(".csv") else { return }
    let piped = try run(["-"] + one.opening.dropFirst(), ["list"], input: Self.data(one.bytes))
    #expect(try values(piped) == expected, "\(piped)")
  }
}
