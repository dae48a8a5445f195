import Foundation
import Testing

/// Steps that rename, add and drop fields, and are no conversion of a field to another type.
@Suite struct OtherStepsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Each changes the schema by hand; none says `field type`.
  private static let steps = [
    [
      "field rename Film price 'price (USD)'", "field add Film price:number",
      "field drop Film 'price (USD)'",
    ],
    [
      "field rename Film price 'price (old)'", "field add Film price:text",
      "field drop Film 'price (old)'",
    ],
    [
      "field rename Film price 'price (text)'", "field add Film price:text",
      "field drop Film 'price (text)'",
    ],
    // The names that earlier versions gave to a field while it was converted.
    [
      "field rename Film price 'price (text)'", "field add Film price:number",
      "field drop Film 'price (text)'",
    ],
    [
      "field add Film 'price (USD):text'", "field drop Film price",
      "field rename Film 'price (USD)' price",
    ],
    [
      "field add Film 'price (number):text'", "field drop Film price",
      "field rename Film 'price (number)' price",
    ],
    [
      "field add Film 'price (number):number'", "field drop Film price",
      "field rename Film 'price (number)' price",
    ],
  ]

  private func output(_ steps: [String], _ last: [String]) throws -> String {
    let store = folder.file("f.catlog")
    try? FileManager.default.removeItem(atPath: store)
    let made = try folder.run([
      store, "-e", "entity create Film title:text price:text", "-e", "insert Film title=Up price=9",
      "-e", "save",
    ])
    #expect(made.status == 0, "\(made)")
    return try folder.run([store] + (steps + last).flatMap { ["-e", $0] }).output
  }

  @Test(arguments: steps) func theyAreNamedAsTheyAre(steps: [String]) throws {
    let changes = try output(steps, ["changes"])
    #expect(!changes.contains("field type"), "\(changes)")
    #expect(changes.contains("rename") && changes.contains("drop"), "\(changes)")
    let history = try output(steps, ["save", "history"])
    #expect(!history.contains("field type"), "\(history)")
  }

  @Test func aConversionIsNamed() throws {
    let changes = try output(["field type price number"], ["changes"])
    #expect(changes.contains("field type Film price: text → number"), "\(changes)")
  }
}
