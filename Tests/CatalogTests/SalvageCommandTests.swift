import Foundation
import Testing

/// `catalog salvage`, told by its exit status: 0 all is there, 1 something is missing, 4 nothing could be
/// saved.
@Suite struct SalvageCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    #expect(try folder.run(["--sample", "a.catlog", "-e", "save"]).status == 0)
  }

  private func flip(_ place: Int) throws {
    let url = URL(fileURLWithPath: folder.file("a.catlog"))
    var bytes = try Data(contentsOf: url)
    bytes[place] ^= 1
    try bytes.write(to: url)
  }

  @Test func aSoundLogIsCopiedWhole() throws {
    let run = try folder.run(["salvage", "a.catlog", "log:b"])
    #expect(run.status == 0)
    #expect(run.output == "saved 31 records into b\n")
    #expect(try folder.run(["log:b", "-e", "count"]).output == "31\n")
  }

  @Test func whatIsMissingIsInTheStatus() throws {
    try flip(1000)
    let run = try folder.run(["salvage", "a.catlog", "b.catlog"])
    #expect(run.status == 1)
    #expect(run.output.hasSuffix("; not all could be read\n"))
    #expect(run.errors.contains("cannot be read"))
  }

  @Test func aLogWithoutItsBeginningIsSavedByACopyOfIt() throws {
    try flip(20)
    let run = try folder.run(["salvage", "a.catlog", "b.catlog"])
    #expect(run.status == 1)
    #expect(run.output == "saved 31 records into b.catlog; not all could be read\n")
    #expect(run.errors.contains("a copy of them is used"))
  }

  @Test(arguments: [
    ("salvage", 2, "./salvage"), ("salvage a.catlog", 2, "DAMAGED NEW"),
    ("salvage a.catlog b.json", 2, ".catlog"), ("salvage a.catlog b", 2, ".catlog"),
    ("--read-only salvage a.catlog b.catlog", 2, "--read-only"),
    ("salvage a.catlog a.catlog", 1, "exists already"),
    ("salvage c.catlog b.catlog", 4, "c.catlog"),
    ("salvage memory: b.catlog", 2, "\"memory:\""),
  ])
  func whatIsAskedWronglyWritesNothing(line: String, status: Int, part: String) throws {
    let run = try folder.run(line.split(separator: " ").map(String.init))
    #expect(Int(run.status) == status)
    #expect(run.errors.contains(part), "\(run.errors)")
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    #expect(try folder.names() == ["a.catlog"])
  }
}
