import Foundation
import Testing

/// Names that are not UTF-8 are rejected: a different file than the intended one is never opened.
///
/// Covers E13.
@Suite struct ByteNamesTests {
  @Test(arguments: [
    (#"$'bad\xff.json' -e count"#, #"argument 1: "bad\xFF.json" is not valid UTF-8"#),
    (#"$'new\xff.json' --sample -e save"#, #"argument 1: "new\xFF.json" is not valid UTF-8"#),
    (#"log:$'é\xc3\x28.catlog' -e count"#, #"argument 1: "log:é\xC3(.catlog" is not valid UTF-8"#),
    (
      #"--store memory -e $'import bad\xff.json'"#,
      #"argument 4: "import bad\xFF.json" is not valid"#
    ),
    (#"--schema=$'\xff\xfe' x.json"#, #"argument 1: "--schema=\xFF\xFE" is not valid UTF-8"#),
    (#"x.json --script $'\x80'"#, #"argument 3: "\x80" is not valid UTF-8"#),
    (#"salvage x.catlog $'y\xff.catlog'"#, #"argument 3: "y\xFF.catlog" is not valid UTF-8"#),
  ])
  func anArgumentOfOtherBytesIsRefused(arguments: String, message: String) throws {
    let folder = try TemporaryFolder()
    // The files that the program would open if it replaced invalid bytes.
    try folder.write("[{\"a\":1}]", to: "bad\u{FFFD}.json")
    let run = try folder.shell(
      #"printf '[]' > $'bad\xff.json'; \#(TemporaryFolder.program) \#(arguments) > out"#
    )
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("catalog: " + message), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(try folder.read("out") == "")
    #expect(try folder.read("bad\u{FFFD}.json") == "[{\"a\":1}]")
    #expect(try folder.shell("test $(ls -A | grep -vc lock) = 3").status == 0, "no file was made")
  }

  @Test(arguments: ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"])
  func aHomeOfOtherBytesIsRefused(name: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.shell(
      #"mkdir $'h\xff'; \#(name)="$PWD/"$'h\xff' \#(TemporaryFolder.program) -e save"#
    )
    #expect(run.status == 2)
    #expect(run.errors.contains("environment variable \(name): "), "\(run.errors)")
    #expect(run.errors.contains(#"h\xFF"#))
    #expect(try folder.shell("test $(ls -A | wc -l) = 1").status == 0)
  }

  @Test func aFolderOrLinkOfOtherBytesIsRefused() throws {
    let folder = try TemporaryFolder()
    let program = TemporaryFolder.program
    try FileManager.default.createDirectory(
      atPath: folder.file("d\u{FFFD}"),
      withIntermediateDirectories: false
    )
    let inside = try folder.shell(
      #"mkdir $'d\xff'; cd $'d\xff' && \#(program) new.json --sample -e save"#
    )
    #expect(inside.status == 4 || inside.status == 5)
    #expect(inside.errors.split(separator: "\n").count == 1, "\(inside.errors)")
    let link = try folder.shell(
      #"ln -s $'t\xff.json' link.json; \#(program) link.json --sample -e save"#
    )
    #expect(link.status == 4 || link.status == 5)
    #expect(try folder.names(in: "d\u{FFFD}") == [])
    #expect(try folder.shell("test $(ls -A | wc -l) = 3").status == 0)
  }

  /// Every name in valid UTF-8 is accepted.
  @Test(arguments: [
    "a b.json", "-a.json", "a\nb.json", "a\u{1B}[2J.json", "\u{202E}a.json", "e\u{301}.json",
    "漢字 😀.json", "'\"`$(x).json", String(repeating: "n", count: 250) + ".json",
  ])
  func anyTextIsAName(name: String) throws {
    let folder = try TemporaryFolder()
    let saved = try folder.run(["./" + name, "--sample", "-e", "save"])
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try folder.names() == [name])
    #expect(try folder.run(["./" + name, "-e", "count"]).output == "31\n")
  }

  @Test func aNameThatIsTooLongIsAClearError() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "n", count: 252) + ".json"
    let deep = String(repeating: "d/", count: 2500) + "x.json"
    for (name, message) in [(long, "too long"), (deep, "no such folder")] {
      let run = try folder.run([name, "--sample", "-e", "save"])
      #expect(run.status == 4 || run.status == 5, "\(run.status)")
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1)
    }
    #expect(try folder.names() == [])
  }
}

extension TemporaryFolder {
  /// The names in a subfolder.
  func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file(name)).sorted()
  }
}
