import Foundation
import Glibc
import Testing

/// What others put next to a store, and clocks that are wrong, keep nobody from reading.
@Suite struct HostileFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let made = try folder.run([
      "f.catlog", "-e", "entity create Film title:text", "-e", "insert title=Up", "-e", "save",
    ])
    #expect(made.status == 0, "\(made)")
  }

  private func expectReadable() throws {
    let read = try folder.run(["f.catlog", "-e", "count"])
    #expect(read.status == 0 && read.output == "1\n", "\(read)")
    #expect(read.errors.contains("f.catlog: opened read-only: "), "\(read)")
    let written = try folder.run(["f.catlog", "-e", "insert title=Soul", "-e", "save"])
    #expect(written.status != 0 && written.errors.contains("f.catlog.lock"), "\(written)")
    #expect(
      written.errors.contains(
        " in place of the lock file; delete it while no other program is saving"
      ),
      "\(written)"
    )
  }

  @Test func aFolderInPlaceOfTheLockFileLeavesALogReadable() throws {
    #expect(mkdir(folder.file(".f.catlog.lock"), 0o700) == 0)
    try expectReadable()
  }

  @Test func aLinkToNothingInPlaceOfTheLockFileLeavesALogReadable() throws {
    #expect(symlink("/nonexistent/x", folder.file(".f.catlog.lock")) == 0)
    try expectReadable()
  }

  /// Nanoseconds since 1970 end in the year 2262.
  @Test(arguments: ["f.catlog", "f.json", "f.csv"])
  func aFileFromTheFarFutureIsReadAndSaved(name: String) throws {
    if name != "f.catlog" { _ = try folder.run(["f.catlog", "-e", "saveas \(name)"]) }
    var times = [
      timespec(tv_sec: 10_413_792_000, tv_nsec: 0), timespec(tv_sec: 10_413_792_000, tv_nsec: 0),
    ]
    #expect(utimensat(AT_FDCWD, folder.file(name), &times, 0) == 0)
    let run = try folder.run([name, "-e", "insert title=Soul", "-e", "save", "-e", "count"])
    #expect(run.status == 0 && run.output.hasSuffix("2\n"), "\(run)")
  }
}
