import Foundation
import Testing

/// The exit status of `catalog salvage`: 0 everything was copied, 1 something is missing, 4 nothing
/// could be copied.
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
    #expect(run.output == "salvaged 31 records to b\n")
    #expect(try folder.run(["log:b", "-e", "count"]).output == "31\n")
  }

  @Test func lossesChangeTheExitStatus() throws {
    try flip(1000)
    let run = try folder.run(["salvage", "a.catlog", "b.catlog"])
    #expect(run.status == 1)
    #expect(run.output.hasSuffix("; some data could not be read\n"))
    #expect(run.errors.contains("unreadable"))
  }

  @Test func aLogWithoutItsBeginningIsSavedByACopyOfIt() throws {
    try flip(20)
    let run = try folder.run(["salvage", "a.catlog", "b.catlog"])
    #expect(run.status == 1)
    #expect(run.output == "salvaged 31 records to b.catlog; some data could not be read\n")
    #expect(run.errors.contains("used a copy"))
  }

  /// Whatever the first bytes are, the rest of the file shows that it is a log.
  @Test(arguments: [0..<64, 0..<4, 8..<64])
  func aLogWithoutItsBeginningIsSaidToBeOne(range: Range<Int>) throws {
    // One save is enough: the first save writes a copy of the header.
    let script = "entity create E a:text\ninsert a=1\ninsert a=2\nsave\n"
    #expect(try folder.run(["e.catlog"], input: script).status == 0)
    let url = URL(fileURLWithPath: folder.file("e.catlog"))
    var bytes = try Data(contentsOf: url)
    for place in range { bytes[place] = UInt8(truncatingIfNeeded: 7 &+ 31 &* place) }
    try bytes.write(to: url)
    let run = try folder.run(["e.catlog", "-e", "list"])
    #expect(run.status == 4)
    #expect(run.errors.contains("damaged in the first 64 bytes"), "\(run.errors)")
    #expect(run.errors.contains("catalog salvage DAMAGED NEW"), "\(run.errors)")
    #expect(try Data(contentsOf: url) == bytes)
    let salvage = try folder.run(["salvage", "e.catlog", "f.catlog"])
    #expect(salvage.output.hasPrefix("salvaged 2 records"), "\(salvage)")
    let saved = try folder.run(["f.catlog", "-e", "list fields id,a", "-e", "check"])
    let cells = saved.output.split(separator: "\n").map { $0.split(separator: "\t").last }
    #expect(cells == ["a", "1", "2", "ok"], "\(saved)")
  }

  @Test func otherFilesAreNotCalledLogs() throws {
    let url = URL(fileURLWithPath: folder.file("n.catlog"))
    try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 131) }).write(to: url)
    let run = try folder.run(["n.catlog", "-e", "list"])
    #expect(run.status == 4)
    #expect(run.errors.contains("not a catalog log"), "\(run.errors)")
  }

  @Test(arguments: [
    ("salvage", 2, "./salvage"), ("salvage a.catlog", 2, "DAMAGED NEW"),
    ("salvage a.catlog b.json", 2, ".catlog"), ("salvage a.catlog b", 2, ".catlog"),
    ("--read-only salvage a.catlog b.catlog", 2, "--read-only"),
    ("salvage a.catlog a.catlog", 1, "already exists"),
    ("salvage c.catlog b.catlog", 4, "c.catlog"),
    ("salvage memory: b.catlog", 2, "\"memory:\""),
  ])
  func invalidArgumentsWriteNothing(line: String, status: Int, part: String) throws {
    let run = try folder.run(line.split(separator: " ").map(String.init))
    #expect(Int(run.status) == status)
    #expect(run.errors.contains(part), "\(run.errors)")
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    #expect(try folder.names() == ["a.catlog"])
  }
}
