import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Errors as handled by programs written for Apple's framework.
@Suite struct ErrorNameTests {
  private static func file(_ text: String) throws -> URL {
    let folder = URL.temporaryDirectory.appending(path: "errors-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "x.store")
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test func aContainerThatCannotBeOpenedHasApplesNameAndOurSentence() throws {
    let file = try Self.file("no store at all, but some text that is long enough to be one")
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    do {
      _ = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file))
      Issue.record("a text was opened as a store")
    } catch let error where SwiftDataError.loadIssueModelContainer ~= error {
      let sentence = "\(error)"
      #expect(error.localizedDescription == sentence && sentence.contains(file.lastPathComponent))
      let details = try #require(error as? PersistenceError)
      #expect(details.code == .notAStore || details.code == .damaged)
    }
  }

  @Test func theNameStandsInACatch() throws {
    func open() throws { throw PersistenceError(.invalidMigrationPlan, "no stage") }
    do {
      try open()
    } catch SwiftDataError.backwardMigration {
      Issue.record("another name matched")
    } catch SwiftDataError.loadIssueModelContainer {
      // As written in programs.
    }
  }

  @Test func aFailedSaveIsNoContainerThatCouldNotBeOpened() {
    let error: any Error = PersistenceError(.notUnique, "two of a kind")
    #expect(!(SwiftDataError.loadIssueModelContainer ~= error))
    #expect(SwiftDataError.modelValidationFailure ~= error)
  }

  static let sentences: [(error: any Error & Sendable, sentence: String)] = [
    (PersistenceError(.busy, "the store is in use"), "the store is in use"),
    (SwiftDataError.unknownSchema.about("who is that"), "who is that"),
    (DataStoreError.invalidPredicate, "the store does not support this predicate"),
  ]

  @Test(arguments: sentences.indices) func theSentenceIsTheLocalizedDescription(place: Int) {
    let (error, sentence) = Self.sentences[place]
    #expect(error.localizedDescription == sentence)
    #expect((error as? any LocalizedError)?.errorDescription == sentence)
  }

  @Test func everyErrorOfTheLibraryHasASentence() {
    let types: [Any.Type] = [FilterSyntaxError.self, ValueError.self]
    #expect(types.allSatisfy { $0 is any LocalizedError.Type })
  }

  static let meanings: [(PersistenceError.Code, SwiftDataError)] = [
    (.invalidValue, .modelValidationFailure), (.notUnique, .modelValidationFailure),
    (.deleteDenied, .modelValidationFailure), (.invalidFilter, .unsupportedPredicate),
    (.historyExpired, .historyTokenExpired), (.backwardMigration, .backwardMigration),
    (.unknownSchema, .unknownSchema), (.invalidMigrationPlan, .loadIssueModelContainer),
    (.invalidConfiguration, .loadIssueModelContainer), (.invalidSchema, .loadIssueModelContainer),
  ]

  @Test(arguments: meanings.indices) func codesMeanApplesNames(place: Int) {
    let (code, name) = Self.meanings[place]
    #expect(name ~= PersistenceError(code, "x"))
  }
}
