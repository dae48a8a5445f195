import Foundation
import Testing

/// Read-only fields and blobs in the files of the stores.
@Suite struct FixedFieldFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      {"entities": [{"name": "Film", "attributes": [{"name": "title", "type": "text"},
        {"name": "n", "type": "integer", "readOnly": true},
        {"name": "cover", "type": "text", "blob": true}]}]}
      """,
      to: "schema.json"
    )
  }

  @Test(arguments: ["films.json", "films.jsonl", "films.catlog"])
  func theOptionsOfFieldsAreSaved(_ name: String) throws {
    let made = try folder.run([
      name, "--schema", "schema.json", "-e", "insert title=Up cover=AAECAw==", "-e", "save",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let schema = try folder.run([name, "-e", "schema"]).output
    guard name != "films.jsonl" else {
      // A file of JSON Lines has no header, so that its fields are plain ones.
      #expect(schema.contains("cover\ttext"), "\(schema)")
      return
    }
    #expect(schema.contains("n\tinteger\tfalse\tfalse\t\ttrue\tfalse"), "\(schema)")
    #expect(schema.contains("cover\ttext\tfalse\tfalse\t\tfalse\ttrue"), "\(schema)")
    let refused = try folder.run([name, "-e", "set where title = \"Up\" n=4"])
    #expect(refused.status == 1 && refused.errors.contains("read-only field"))
    let saved = try folder.run([name, "-e", "set where title = \"Up\" title=Down", "-e", "save"])
    #expect(saved.status == 0, "\(saved.errors)")
    let covers = try folder.run([name, "-e", "list fields title,cover"]).output
    #expect(covers == "title\tcover\nDown\tAAECAw==\n")
  }
}
