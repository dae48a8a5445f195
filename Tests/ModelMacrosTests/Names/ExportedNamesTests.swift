import Foundation
import Testing

/// The names of the library that `import SwiftData` exports.
@Suite struct ExportedNamesTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The names of Apple's framework; `UndoManager` belongs to its Foundation.
  private static let apple = Set(
    """
    BackingData DataStore DataStoreBatchDeleteRequest DataStoreBatching DataStoreConfiguration
    DataStoreError DataStoreFetchRequest DataStoreFetchResult DataStoreSaveChangesRequest
    DataStoreSaveChangesResult DataStoreSnapshot DataStoreSnapshotCodingKey
    DataStoreSnapshotValue DefaultHistoryDelete DefaultHistoryInsert DefaultHistoryToken
    DefaultHistoryTransaction DefaultHistoryUpdate DefaultSerialModelExecutor DefaultSnapshot
    EditingState FetchDescriptor FetchResultsCollection HistoryChange HistoryDelete
    HistoryDescriptor HistoryInsert HistoryObserver HistoryProviding HistoryToken
    HistoryTombstone HistoryTransaction HistoryUpdate MigrationStage ModelActor ModelContainer
    ModelContext ModelExecutor PersistentIdentifier PersistentModel RelationshipCollection
    ResultsObserver Schema SchemaMigrationPlan SchemaProperty SectionedResults
    SerialModelExecutor SwiftDataError UndoManager VersionedSchema
    """.split(whereSeparator: \.isWhitespace).map(String.init)
  )

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names that follow the words in the files of a folder.
  private static func names(in folder: String, _ words: Regex<(Substring, Substring)>) throws
    -> Set<String>
  {
    let files = try FileManager.default
      .subpathsOfDirectory(atPath: root.appending(path: folder).path)
    var names: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let text = try text("\(folder)/\(file)")
      names.formUnion(text.matches(of: words.anchorsMatchLineEndings()).map { String($0.1) })
    }
    return names
  }

  @Test func namesOfAppleAndNoOthersArePassedOn() throws {
    let exports = try Self.names(
      in: "Sources/SwiftData",
      /^ *@_exported public import \w+ OpenSwiftData\.(\w+)$/
    )
    #expect(exports == Self.apple)
    let whole = try Self.names(in: "Sources/SwiftData", /^ *@_exported public import (\w+)$/)
    #expect(whole == ["DefaultStorage", "Foundation", "ModelMacros", "Observation"])
  }

  @Test func modulesThatArePassedOnWholeHaveNoOtherNames() throws {
    let topLevel =
      /^public (?:final |indirect )?(?:class|struct|enum|protocol|typealias|actor) (\w+)/
    #expect(
      try Self.names(in: "Sources/DefaultStorage", topLevel) == [
        "DefaultStore", "ModelConfiguration",
      ]
    )
    let macros = try Self.names(in: "Sources/ModelMacros", topLevel)
    #expect(macros.allSatisfy { $0.hasPrefix("_") })
  }

  @Test func everyOtherPublicNameStandsInTheModuleThatCouldClash() throws {
    let topLevel =
      /^public (?:final |indirect )?(?:class|struct|enum|protocol|typealias|actor) (\w+)/
    let ours = try Self.names(in: "Sources/OpenSwiftData", topLevel).subtracting(Self.apple)
    #expect(try ours == Self.names(in: "Tests/OtherNames", topLevel))
  }
}
