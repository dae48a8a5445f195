import OpenSwiftData
import Testing

@testable import CatalogApp

/// The types that import chooses for the columns of an entity that it creates.
@Suite struct ImportedTypesTests {
  @Test(arguments: [
    (["true", "5"], AttributeType.json), (["1", "\"a\""], .text), (["true", "\"a\"", "1"], .text),
    (["1", "2.5"], .decimal), (["true", "false"], .boolean), (["null", "null"], .text),
    (["1", "[1]"], .json),
  ])
  func columnsOfAJSONFileGetTheTypeThatAnOpenedFileGives(cells: [String], type: AttributeType)
    throws
  {
    var inference = TypeInference()
    let text = "[" + cells.map { "{\"a\": \($0)}" }.joined(separator: ",") + "]"
    try JSONRows(Array(text.utf8)).forEachRow(isLines: false) { inference.add($0) }
    #expect(inference.entity("E").attributes.map(\.type) == [type])
  }
}
