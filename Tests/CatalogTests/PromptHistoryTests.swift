import Foundation
import Glibc
import Testing

/// The prompt history, and the completion of file names.
@Suite struct PromptHistoryTests {
  private func leave(_ run: ScreenRun) {
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test func linesSurviveTheRunInAFileOfTheUsersOwn() throws {
    let folder = try TemporaryFolder()
    let state = ["XDG_STATE_HOME=\(folder.path)"]
    let options = ["--store", "memory", "--sample"]
    let file = folder.path + "/catalog/lines"
    let first = try ScreenRun(options, environment: state)
    #expect(first.shows("Toy Story"))
    first.type(":count\rfpixar\r\u{1B}/nemo\r")
    #expect(first.shows("nemo"))
    leave(first)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text == ": count\nf pixar\n/ nemo\n")
    var status = stat()
    #expect(stat(file, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let second = try ScreenRun(options, environment: state)
    #expect(second.shows("Toy Story"))
    second.type("/\u{1B}[A")
    #expect(second.shows("nemo"))
    second.type("\r")
    leave(second)
  }

  /// No file is written, nothing is reported, and the program works as usual.
  @Test(arguments: ["read-only", "setting", "no folder", "link", "keys"])
  func nothingIsWrittenWhereItShallNotBe(why: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("remember-lines off\n", to: "config")
    let place = why == "no folder" ? folder.path + "/config" : folder.path + "/state"
    let options: [String] =
      switch why {
      case "read-only": ["--store", "memory", "--sample", "--read-only"]
      case "setting": ["--store", "memory", "--sample", "--config", folder.path + "/config"]
      default: ["--store", "memory", "--sample"]
      }
    if why == "keys" {
      let run = try folder.run(
        options + ["--keys", "-"],
        input: ":count Enter",
        environment: ["XDG_STATE_HOME": place]
      )
      #expect(run.status == 0)
    } else {
      let run = try ScreenRun(options, environment: ["XDG_STATE_HOME=\(place)"])
      #expect(run.shows("Toy Story"))
      if why == "link" {
        mkdir(folder.path + "/state", 0o700)
        mkdir(folder.path + "/state/catalog", 0o700)
        symlink(folder.path + "/config", folder.path + "/state/catalog/lines")
      }
      run.type(":count\r")
      #expect(run.shows("31"))
      leave(run)
    }
    let lines = folder.path + "/state/catalog/lines"
    if why == "link" {
      #expect(try folder.read("config") == "remember-lines off\n")
    } else {
      #expect(!FileManager.default.fileExists(atPath: lines))
    }
  }

  @Test func aNewcomerLooksAtTheSampleAndLeaves() throws {
    let folder = try TemporaryFolder()
    let run = try ScreenRun([], environment: ["XDG_DATA_HOME=\(folder.path)"])
    #expect(run.shows("sample records, not saved yet; press w to"))
    run.type("jq")
    #expect(run.wait() == .exited(0))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/catalog/catalog.json"))
  }

  @Test(arguments: [
    (#"":e fil" Tab"#, ":e films.json"), (#"":import my" Tab"#, ":import \"my films.csv\""),
    (#"":saveas de" Tab"#, ":saveas deep/"),
    (#"":saveas de" Tab in Tab"#, ":saveas deep/inner.catlog"),
    (#"":e log:de" Tab"#, ":e log:deep/"), (#"":e ~/fil" Tab"#, "/films.json"),
    (#"":export " Tab"#, ":export deep/"), (#"":e deep/../fil" Tab"#, ":e deep/../films.json"),
  ])
  func promptsCompleteTheNamesOfFiles(keys: String, line: String) throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path + "/deep", 0o700)
    for name in ["films.json", "my films.csv", "deep/inner.catlog", ".hid"] {
      try folder.write("[]", to: name)
    }
    let run = try folder.run(
      ["--store", "memory", "--sample", "--keys", "-"],
      input: keys,
      environment: ["HOME": folder.path]
    )
    #expect(run.output.contains(line), "\(run.output)")
  }

  @Test func aTildeIsTheUsersFolder() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample", "-e", "export ~/out.csv"],
      environment: ["HOME": folder.path]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.read("out.csv").contains("Toy Story"))
  }
}
