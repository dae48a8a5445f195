import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Dropping a field on the screen, with other unsaved schema changes.
@Suite struct FieldDropQuestionTests {
  @Test func droppingAFieldAsksWithTheNumberOfValues() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"field drop releaseYear\" Enter")
    #expect(fixture.text.contains("drop field releaseYear from Film?"), "\(fixture.text)")
    #expect(fixture.text.contains("3 values will be deleted."), "\(fixture.text)")
    try fixture.press("c")
    #expect(fixture.text.contains("releaseYear"))
    #expect(!fixture.script.session.context.hasChanges)
    try fixture.press(": \"field drop releaseYear\" Enter y")
    #expect(fixture.message == "removed releaseYear from Film", "\(fixture.message)")
    #expect(fixture.status.contains("1 schema change"), "\(fixture.status)")
    try fixture.press("u")
    #expect(fixture.text.contains("releaseYear"), "\(fixture.text)")
    #expect(!fixture.script.session.context.hasChanges)
  }

  @Test func aFieldThatIsNotThereIsSaidAtOnce() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"field drop nothing\" Enter")
    #expect(fixture.text.contains("Film has no field \"nothing\""), "\(fixture.message)")
  }

  @Test func leavingWithAnUnsavedSchemaAsks() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"field add stars:integer\" Enter q")
    #expect(fixture.text.contains("1 change not saved: 1 schema change"), "\(fixture.text)")
    try fixture.press("s")
    #expect(fixture.runner.exitStatus == 0)
    #expect(!fixture.script.session.context.hasChanges)
  }

  @Test func aScriptIsNotAsked() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run("field drop releaseYear\nschema")
    #expect(result.status != 1 && !result.output.contains("releaseYear"), "\(result)")
  }
}
