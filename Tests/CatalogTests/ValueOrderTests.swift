import Foundation
import Testing

/// The order of `freq`: the most frequent value first, then by the bytes of the text.
@Suite struct ValueOrderTests {
  @Test(arguments: ["json", "csv"])
  func textsThatOccurAsOftenAreInTheOrderOfTheirBytes(ending: String) throws {
    let folder = try TemporaryFolder()
    let texts = [
      "a", "a long text 2", "a long text 10", "a long text", "abcdefgh", "abcdefgh1", "abcdefg",
      "Z", "é", "z", "日本", "abcdefgi",
    ]
    let rows = texts + ["twice", "twice"]
    if ending == "csv" {
      try folder.write("t\n" + rows.map { $0 + "\n" }.joined(), to: "a.csv")
    } else {
      let objects = rows.map { "{\"t\": \"\($0)\"}" } + ["{\"t\": \"\"}", "{\"t\": null}"]
      try folder.write("[" + objects.joined(separator: ",\n") + "]", to: "a.json")
    }
    let run = try folder.run(["a.\(ending)", "--no-header", "--format", "csv", "-e", "freq t"])
    let values = run.output.split(whereSeparator: \.isNewline).map { $0.split(separator: ",")[0] }
    let ordered = texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    #expect(values.first == "twice")
    #expect(values.map(String.init).filter(texts.contains) == ordered, "\(run)")
  }
}
