import Foundation
import Testing

/// `catalog FROM --to TO` reads FROM as `catalog FROM` does.
@Suite struct ConversionSourceTests {
  private let folder: TemporaryFolder
  private static let separated = [
    "a;b\n1;2\n", "1,2\n3,4\n", "n,m\n+49,.5\n", "u\n6B29FC40-CA47-1067-B31D-00DD010662DA\n",
    "z\n-0\n", "t\nTRUE\nFALSE\n", "a,b\n1\n2,3,4\n", "a,a\n1,2\n", "id,name\n1,Ada\n2,Bob\n",
  ]

  init() throws { folder = try TemporaryFolder() }

  /// Converts a file in both ways, and its text from a pipe; each result without the names of the file.
  private func conversions(of name: String, to ending: String) throws -> [String] {
    let converted = try folder.run([name, "--to", "to.\(ending)"])
    let saved = try folder.run([name, "-e", "saveas as.\(ending)"])
    let piped = try folder.inShell("cat \(name) | \"$catalog\" - --to piped.\(ending)")
    let opened = try folder.inShell("cat \(name) | \"$catalog\" - -e 'saveas opened.\(ending)'")
    for run in [converted, saved, piped, opened] {
      #expect(run.status == 0, "\(run)")
    }
    return try ["to", "as", "piped", "opened"].map { file in
      let run = try folder.run([
        "\(file).\(ending)", "--format", "jsonl", "-e", "list", "-e", "schema",
      ])
      #expect(run.status == 0, "\(run)")
      var text = withoutIdentifiers(run.output)
      for entity in [file, String(name.prefix { $0 != "." }), "Record"] {
        text = text.replacing("\"\(entity)\"", with: "\"ENTITY\"")
      }
      return text
    }
  }

  @Test(arguments: separated, ["json", "catlog", "db", "csv", "tsv"])
  func separatedValuesAreOpened(text: String, ending: String) throws {
    try folder.write(text, to: "in.csv")
    let results = try conversions(of: "in.csv", to: ending)
    #expect(Set(results).count == 1, "\(results)")
  }

  /// Compressed JSON on a pipe was once read as separated values.
  @Test func compressedTextOfAPipeIsRecognized() throws {
    let bytes = try #require(
      Data(base64Encoded: "H4sIAAAAAAACA4uuVkpUsjLUUUpSslKqUKqNBQB1euVxEQAAAA==")
    )
    let run = try folder.run(["-", "--to", "-", "--format", "csv"], input: bytes)
    #expect(run.status == 0 && run.output == "a,b\n1,x\n", "\(run)")
  }

  @Test(arguments: [String.Encoding.windowsCP1252, .utf16, .utf16LittleEndian])
  func everyEncodingIsOpened(encoding: String.Encoding) throws {
    var data = try #require("name,town\nJosé,Köln\n".data(using: encoding))
    if encoding == .utf16LittleEndian { data = Data([0xFF, 0xFE]) + data }
    try data.write(to: URL(filePath: folder.file("in.csv")))
    let results = try conversions(of: "in.csv", to: "json")
    #expect(Set(results).count == 1 && results[0].contains("José"), "\(results)")
  }

  @Test(arguments: [
    ("in.tsv", "a\tb\n+1\tx\n"), ("in.jsonl", "{\"id\":1,\"a\":-0}\n{\"id\":2,\"a\":\"x\"}\n"),
    ("in.json", "[{\"id\":1,\"n\":\"a\"},{\"id\":2,\"n\":\"b\"}]"),
  ])
  func otherTextsAreOpened(name: String, text: String) throws {
    try folder.write(text, to: name)
    let results = try conversions(of: name, to: "catlog")
    #expect(Set(results).count == 1, "\(results)")
  }

  @Test(arguments: [
    ("id,name,boss\n1,Ada,\n2,Bob,1\n3,Cy,1\n", "in.csv"),
    ("[{\"id\":1,\"name\":\"Ada\"},{\"id\":2,\"name\":\"Bob\"}]", "in.json"),
    ("{\"id\":1,\"name\":\"Ada\"}\n{\"id\":2,\"name\":\"Bob\"}\n", "in.jsonl"),
  ])
  func aColumnOfNumbersNamedIdIsKept(text: String, name: String) throws {
    try folder.write(text, to: name)
    for target in ["x.csv", "x.tsv", "x.json", "x.jsonl", "x.catlog", "x.db"] {
      #expect(try folder.run([name, "--to", target]).status == 0)
      let list = try folder.run([target, "-e", "list sort id fields id,name limit 2"])
      #expect(list.output == "id\tname\n1\tAda\n2\tBob\n", "\(target): \(list)")
    }
    for command in ["\"$catalog\" \(name)", "cat \(name) | \"$catalog\" -"] {
      let printed = try folder.inShell(command + " --to - --format jsonl")
      #expect(printed.output.hasPrefix("{\"id\": 1, \"name\": \"Ada\""), "\(printed)")
    }
  }

  @Test(arguments: ["\"$catalog\" in.csv", "cat in.csv | \"$catalog\" -"])
  func theEntityCanBeNamed(command: String) throws {
    try folder.write("a;b\n1;2\n", to: "in.csv")
    let run = try folder.inShell(
      command + " --entity Film --to x.catlog; \"$catalog\" x.catlog -e 'list Film fields a,b'"
    )
    #expect(run.output == "a\tb\n1\t2\n", "\(run)")
  }
}
