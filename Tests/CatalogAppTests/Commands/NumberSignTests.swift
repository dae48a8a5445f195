import DataStoreTesting
import Foundation
import OpenSwiftData
import Stores
import Testing

@testable import CatalogApp

/// What commas and points mean in the numbers of separated values, which an opened file and an import find out each by
/// functions of their own.
@Suite struct NumberSignTests {
  private static let known = [
    "12,5", "1.234,56", "1,234", "1.234", "0.123,4", "0,125", "1.234.567", "1234", "0123", "01.5",
    "1e5",
    "1.5e3", "true", "-1,5", "-", "", ".5", "5.", "1..2", "12,5 EUR", "12,5 EUR 2", "12,5 euros",
    "12.34,5",
    "1234.567", "1,2,3", "n/a", "12,5\u{301}", "\u{661},5", "-0,5", "--1", "1.23", "12,", ",5",
  ]

  private static let texts: [String] = {
    var random = SeededGenerator(seed: SeededGenerator.testSeed)
    let letters = Array("0123456789.,-e €x")
    return known
      + (0..<400).map { _ in
        String(
          (0..<Int.random(in: 1...9, using: &random)).map { _ in letters.randomElement() ?? "0" }
        )
      }
  }()

  /// The types of the columns of a file with these lines, by the store that opens it and by an import.
  private func types(_ lines: [[String]]) throws -> (
    opened: [AttributeType], imported: [AttributeType]
  ) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "a.csv")
    let text = lines.map { $0.map { "\"\($0)\"" }.joined(separator: ",") + "\n" }.joined()
    try Data(text.utf8).write(to: url)
    let store = try JSONStore(JSONStoreConfiguration(path: url.path, form: .delimited))
    var inference = TypeInference()
    for (number, cells) in lines.dropFirst().enumerated() {
      inference.add(
        ImportRow(
          line: number + 2,
          entityName: nil,
          columns: lines[0],
          cells: cells.map { .text($0) },
          hasTypedValues: false
        )
      )
    }
    return (store.schema.entities[0].fields.map(\.type), inference.entity("a").fields.map(\.type))
  }

  /// A comma in one column decides whether the points of another one separate thousands.
  @Test func aDecimalCommaIsTheSameForAnOpenedFileAndAnImport() throws {
    for text in Self.texts {
      let found = try types([["a", "b"], [text, "1.234"]])
      #expect(
        (found.opened[1] == .text) == (found.imported[1] == .text),
        "\(text.debugDescription)"
      )
    }
    #expect(try types([["a", "b"], ["12,5", "1.234"]]).opened[1] == .text)
    #expect(try types([["a", "b"], ["1,234", "1.234"]]).opened[1] == .decimal)
  }

  @Test func aDecimalPointIsTheSameForAnOpenedFileAndAnImport() throws {
    for text in Self.texts {
      let found = try types([["a", "b"], ["12,5", "1.234"], ["12,5", text]])
      #expect(
        (found.opened[1] == .text) == (found.imported[1] == .text),
        "\(text.debugDescription)"
      )
    }
    #expect(try types([["a", "b"], ["12,5", "1.234"], ["12,5", "2.5"]]).opened[1] == .decimal)
  }
}
