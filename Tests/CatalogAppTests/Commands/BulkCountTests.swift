import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Counts beside unsaved changes of many records at once, which are packed.
@Suite struct BulkCountTests {
  private static let count = 300

  private func fixture() throws -> ScriptFixture {
    let fixture = try ScriptFixture(Schema())
    let rows = (0..<Self.count).map { "\($0),a" }
    fixture.services.files["p.csv"] = Array((["n,m"] + rows).joined(separator: "\n").utf8)
    _ = try fixture.run("import p.csv into P\nsave")
    return fixture
  }

  /// Formerly changes of 64 records or more were not counted.
  @Test(arguments: [63, 64, 200])
  func unsavedChangesAreCounted(changed: Int) throws {
    let rest = Self.count - changed
    let result = try fixture().run(
      """
      set where n < \(changed) m=b
      count where m = "b"
      count where m = "a"
      expect \(rest) where m = "a"
      undo
      count where m = "b"
      redo
      count where m = "b"
      undo
      delete where n < \(changed)
      count
      count where n >= 0
      expect \(rest)
      entities
      undo
      count
      """
    )
    #expect(result.errors == "", "\(result)")
    let numbers = result.output.split(separator: "\n").compactMap { Int($0) }
    #expect(numbers == [changed, rest, 0, changed, rest, rest, Self.count], "\(result)")
    #expect(result.output.contains("P\t\(rest)\t"), "\(result)")
  }
}
