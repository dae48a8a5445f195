import Foundation
import OpenSwiftData
import Stores
import Testing

@testable import CatalogApp

/// Scripts that end with unsaved changes, which `recover` restores after the program was killed.
@Suite struct RecoveredHistoryTests {
  /// The lines of a script, and its name.
  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lines: [String]

    init(_ name: String, _ lines: [String]) { (testDescription, self.lines) = (name, lines) }
  }

  /// Records that `undo` restores, and other records that refer to them.
  static let links = [
    Script(
      "a link to a record brought back",
      [
        "entity create E a:text f:link:E", "insert a=x", "insert a=y f=t1", "save",
        "delete where a='x'", "save", "undo",
      ]
    ),
    Script(
      "a list of links to records brought back",
      [
        "entity create E a:text f:links:E", "insert a=x", "insert a=y", "insert a=z f=t2,t1",
        "save",
        "delete where a='x'", "save", "delete where a='y'", "save", "undo", "undo",
      ]
    ),
    Script(
      "required links between records brought back",
      [
        "entity create F b:text", "entity create E a:text f:link:F!", "insert F b=x",
        "insert E a=y f=t1", "save", "delete E where a='y'", "save", "delete F where b='x'", "save",
        "undo", "undo",
      ]
    ),
    Script(
      "two records brought back that refer to each other",
      [
        "entity create E a:text f:link:E", "insert a=x", "insert a=y f=t1", "set t1 f=t2", "save",
        "delete E where a is not null", "save", "undo",
      ]
    ),
    Script(
      "a record brought back that refers to itself",
      [
        "entity create E a:text f:link:E", "insert a=x", "set t1 f=t1", "save",
        "delete where a='x'",
        "save", "undo",
      ]
    ),
    Script(
      "a new record that refers to one brought back",
      [
        "entity create E a:text f:link:E", "insert a=x", "save", "delete where a='x'", "save",
        "undo",
        "insert a=n f=t1",
      ]
    ),
    Script(
      "records of an entity that is deleted and made again",
      [
        "entity create E a:text f:link:E", "insert a=x", "insert a=y f=t1", "save", "undo", "undo",
        "undo", "save", "redo", "redo", "redo",
      ]
    ),
    Script(
      "a record that others may not lose, deleted after them",
      [
        "entity create F b:text", "entity create E a:text f:link:F:deny", "insert F b=x",
        "insert E a=y f=t1", "save", "set F where b='x' b=z", "set E where a='y' f=",
        "delete F where b='z'",
      ]
    ),
  ]

  /// Undo as the first command after a save, when there is nothing else to undo.
  static let records = [
    Script(
      "an insertion undone",
      ["entity create E a:text", "save", "insert a=x", "save", "undo"]
    ),
    Script(
      "everything undone",
      [
        "entity create E a:text", "insert a=x", "set where a='x' a=y", "save", "undo", "undo",
        "undo",
      ]
    ),
  ]

  /// Schema changes that were saved and undone.
  static let schemas = [
    Script("an entity", ["entity create E a:text", "save", "undo"]),
    Script(
      "an entity with records",
      ["entity create E a:text", "insert a=x", "insert a=y", "save", "undo", "undo", "undo"]
    ),
    Script(
      "an entity with records saved before",
      [
        "entity create E a:text", "save", "insert a=x", "save", "set where a='x' a=y", "save",
        "undo",
        "undo", "undo",
      ]
    ),
    Script(
      "two entities with links",
      [
        "entity create F b:text", "entity create E a:text f:link:F!", "insert F b=x",
        "insert E a=y f=t1", "save", "undo", "undo", "undo", "undo",
      ]
    ),
    Script(
      "an entity that takes another one's name",
      [
        "entity create E a:text", "insert a=x", "save", "undo", "undo",
        "entity create E b:integer", "insert b=1",
      ]
    ),
    Script(
      "a field",
      [
        "entity create E a:text", "insert a=x", "save", "field add b:integer=1", "save", "undo",
      ]
    ),
    Script(
      "a field with values, and its entity",
      [
        "entity create E a:text", "save", "field add b:integer", "insert a=x b=2", "save", "undo",
        "undo", "undo",
      ]
    ),
    Script(
      "a field that was dropped",
      [
        "entity create E a:text b:integer c:text", "insert a=x b=1 c=p", "insert a=y c=q", "save",
        "field drop b", "save", "undo",
      ]
    ),
    Script(
      "a field of links that was dropped",
      [
        "entity create E a:text f:link:E", "insert a=x", "insert a=y f=t1", "save", "field drop f",
        "save", "undo",
      ]
    ),
    Script(
      "a new name",
      ["entity create E a:text", "insert a=x", "save", "field rename a b", "save", "undo"]
    ),
    Script(
      "a field that took the name of one that was dropped",
      [
        "entity create E a:text b:text", "insert a=x b=p", "insert a=y b=q", "save", "field drop a",
        "field rename b a", "save", "undo", "undo",
      ]
    ),
    Script(
      "a new name for a new field",
      [
        "entity create E a:text", "insert a=x", "save", "field add b:text", "field rename b c",
        "set where a='x' c=p", "save", "undo", "undo", "undo",
      ]
    ),
    Script(
      "two fields that changed names",
      [
        "entity create E a:text b:text", "insert a=x b=p", "save", "field rename a t",
        "field rename b a", "field rename t b", "save", "undo", "undo", "undo",
      ]
    ),
    Script(
      "the same steps, dropped between saves",
      [
        "entity create E a:text b:text", "insert a=x b=p", "save", "field drop a", "save",
        "field rename b a", "save", "field add b:text", "set where a='p' b=q", "save", "undo",
        "undo",
        "undo", "undo",
      ]
    ),
    Script("an entity made by an import", ["import p.csv", "save", "undo"]),
    Script(
      "an entity made by an import, with edits",
      ["import p.csv", "save", "set where n=1 m=z", "save", "undo", "undo"]
    ),
    Script(
      "all of it taken back at once",
      ["entity create E a:text", "save", "undo", "entity create G c:text", "insert G c=x"]
    ),
  ]

  enum Kind: String, CaseIterable, Sendable { case json, catlog }

  /// Programs that open the same file one after the other.
  private final class World {
    private let folder: URL
    private let kind: Kind
    private let disk = MemoryRecoveryStorage.Disk()

    init(_ kind: Kind, text: String? = nil) throws {
      self.kind = kind
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("recovered-history-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text?.write(to: file, atomically: true, encoding: .utf8)
    }

    private var file: URL { folder.appendingPathComponent("s.\(kind)") }

    deinit {
      // A folder that cannot be removed does not affect other tests.
      try? FileManager.default.removeItem(at: folder)
    }

    func run() throws -> (session: Session, storage: MemoryRecoveryStorage) {
      let path = file.path
      let store: any DataStoreConfiguration =
        kind == .json ? JSONStoreConfiguration(path: path) : LogStoreConfiguration(path: path)
      let script = try ScriptFixture(store: store)
      script.services.files["p.csv"] = Array("n,m\n1,x\n2,y\n".utf8)
      let storage = MemoryRecoveryStorage(disk)
      script.session.store.recovery = Recovery(storage)
      return (script.session, storage)
    }
  }

  /// Runs lines and updates the recovery file after each of them.
  private static func perform(_ lines: [String], _ session: Session) throws -> [Outcome] {
    try lines.map { line in
      let outcome = try session.perform(line)
      try session.store.keepEdits()
      return outcome
    }
  }

  /// All fields and records as text, with links as the first value of their record.
  private static func list(_ session: Session) throws -> [String] {
    let context = session.context
    return try context.schema.entities.flatMap { entity in
      let fields = entity.fields.map { "\($0.name):\($0.type)" }.joined(separator: " ")
      let records = try context.fetchSnapshots(matching: Query(entity.name)).map { snapshot in
        let values = try snapshot.orderedValues.map { value in
          let linked = value.linkedIdentifiers
          if linked.isEmpty { return value.text }
          let targets = try context.snapshots(for: linked)
          return linked.map { "→" + (targets[$0]?.orderedValues.first?.text ?? "nothing") }.joined()
        }
        return values.joined(separator: " ")
      }
      return ["\(entity.name) \(fields)"] + records.sorted()
    }
  }

  /// The records that were saved at any time.
  private static func identifiers(_ session: Session) throws -> [String] {
    try session.context.schema.entities.flatMap { entity in
      try session.context.fetchIdentifiers(matching: Query(entity.name))
        .filter { !$0.isTemporary }.map(\.description)
    }.sorted()
  }

  @Test(arguments: links + records + schemas, Kind.allCases)
  func recoverShowsWhatWasThere(_ script: Script, kind: Kind) throws {
    let world = try World(kind)
    let (first, storage) = try world.run()
    _ = try Self.perform(script.lines, first)
    let edited = try Self.list(first)
    let identifiers = try Self.identifiers(first)
    #expect(first.context.hasChanges)
    storage.die()

    let (next, _) = try world.run()
    let saved = try Self.list(next)
    try #require(next.store.recovery?.offer != nil)
    let outcome = try Self.perform(["recover"], next)
    #expect("\(outcome)".contains("fit") == false, "\(outcome)")
    #expect(try Self.list(next) == edited)
    #expect(try Self.identifiers(next) == identifiers)
    _ = try Self.perform(["undo"], next)
    #expect(try Self.list(next) == saved)
    #expect(!next.context.hasChanges)
    _ = try Self.perform(["redo"], next)
    #expect(try Self.list(next) == edited)
    _ = try Self.perform(["save"], next)
    #expect(try Self.list(try world.run().session) == edited)
  }

  /// Recovered changes are kept like others: a second crash loses nothing.
  @Test(arguments: links + records + schemas)
  func aSecondDeathLosesNothing(_ script: Script) throws {
    let world = try World(.catlog)
    var (session, storage) = try world.run()
    _ = try Self.perform(script.lines, session)
    let edited = try Self.list(session)
    for _ in 0..<2 {
      storage.die()
      (session, storage) = try world.run()
      try #require(session.store.recovery?.offer != nil)
      _ = try Self.perform(["recover"], session)
      #expect(try Self.list(session) == edited)
    }
  }

  /// Changes that are unsaved during the recovery stay, even if there is nothing to undo.
  @Test func recoverKeepsWhatWasUndoneHere() throws {
    let world = try World(.catlog)
    let (first, storage) = try world.run()
    _ = try Self.perform(["entity create E a:text", "save", "insert a=x"], first)
    storage.die()
    let (next, _) = try world.run()
    _ = try Self.perform(["insert a=y", "save", "undo", "recover"], next)
    #expect(try Self.list(next) == ["E a:text", "x"])
    #expect(next.store.unsavedCounts == (1, 0, 1))
  }

  @Test func aSampleWithAnotherEntityIsNoSample() throws {
    let world = try World(.json)
    let (first, storage) = try world.run()
    _ = try Self.perform(["entity create E a:text", "insert a=x"], first)
    first.store.sample = first.context.pendingChanges
    #expect(first.store.leavingWarning == nil)
    _ = try Self.perform(["set where a='x' a=y"], first)
    #expect(storage.ownPath != nil)
    _ = try Self.perform(["undo"], first)
    #expect(storage.ownPath == nil, "what a newcomer is shown is no edit")
    _ = try Self.perform(["entity create G c:text"], first)
    #expect(first.store.leavingWarning != nil)
    storage.die()
    let (next, _) = try world.run()
    _ = try Self.perform(["recover"], next)
    #expect(try Self.list(next) == ["E a:text", "x", "G c:text"])
  }

  /// Another program also undoes the deletion, before the changes are recovered.
  @Test(arguments: [
    ([], "nothing to recover: the store already has these changes", ["x ", "y →x"]),
    (["set where a='x' a='z'"], "already exists with a different a", ["y →z", "z "]),
    (["delete where a='y'"], "the record no longer exists", ["x "]),
  ])
  func othersHaveTheRecordAgain(_ lines: [String], _ words: String, _ list: [String]) throws {
    let world = try World(.json)
    let (first, storage) = try world.run()
    _ = try Self.perform(
      [
        "entity create E a:text f:link:E", "insert a=x", "insert a=y f=t1", "save",
        "delete where a='x'", "save", "undo",
      ],
      first
    )
    storage.die()
    first.store.recovery = nil
    _ = try first.perform("save")
    let (other, _) = try world.run()
    other.store.recovery = nil
    _ = try Self.perform(lines.isEmpty ? [] : lines + ["save"], other)
    let (next, _) = try world.run()
    let answer = Result { try Self.perform(["recover"], next) }
    #expect("\(answer)".contains(words))
    #expect(Array(try Self.list(next).dropFirst()) == list)
  }

  /// Records of a file without identifiers are identified by position, where a different record is
  /// now.
  @Test func aRecordWhosePlaceIsTakenComesBackAsANewOne() throws {
    let world = try World(.json, text: #"[{"a":"x"},{"a":"y"},{"a":"z"}]"#)
    let (first, storage) = try world.run()
    _ = try Self.perform(["delete where a='y'", "save", "undo"], first)
    storage.die()
    let (next, _) = try world.run()
    _ = try Self.perform(["recover"], next)
    #expect(try Self.list(next).dropFirst() == ["x", "y", "z"])
    _ = try Self.perform(["save"], next)
    #expect(try Self.list(try world.run().session).dropFirst() == ["x", "y", "z"])
  }

  /// Another program has created a record whose required link refers to the record to delete.
  @Test func whatStandsAgainstADeletionIsSaid() throws {
    let world = try World(.catlog)
    let (first, storage) = try world.run()
    _ = try Self.perform(
      [
        "entity create E a:text f:link:E:deny", "insert a=x", "insert a=y", "insert a=z", "save",
        "delete where a is not null",
      ],
      first
    )
    storage.die()
    let (other, _) = try world.run()
    other.store.recovery = nil
    let target = try #require(
      try other.context.fetchIdentifiers(
        matching: Query("E", filter: .compare("a", .equal, .text("y")))
      ).first
    )
    _ = try Self.perform(["insert a=n f=\(target)", "save"], other)
    let (next, _) = try world.run()
    let outcome = try Self.perform(["recover"], next)
    #expect("\(outcome)".contains("1 change no longer applies"), "\(outcome)")
    #expect("\(outcome)".contains("not deleted: "), "\(outcome)")
    #expect(try Self.list(next).dropFirst() == ["n →y", "y "])
    _ = try Self.perform(["save"], next)
  }

  /// Another program has added a record to an entity whose creation was undone.
  @Test func anEntityWithRecordsOfOthersStays() throws {
    let world = try World(.json)
    let (first, storage) = try world.run()
    _ = try Self.perform(["entity create E a:text", "insert a=x", "save", "undo", "undo"], first)
    storage.die()
    let (other, _) = try world.run()
    other.store.recovery = nil
    _ = try Self.perform(["insert a=n", "save"], other)
    let (next, _) = try world.run()
    let outcome = try Self.perform(["recover"], next)
    #expect("\(outcome)".contains("cannot remove E"), "\(outcome)")
    #expect(try Self.list(next) == ["E a:text", "n"])
    _ = try Self.perform(["save"], next)
  }

  @Test func changesOfTheSchemaAreCounted() throws {
    for (lines, words) in [
      ([], "recovered 1 schema change, not saved yet"),
      (["entity create G c:text"], "recovered 2 schema changes, not saved yet"),
      (["insert a=x"], "recovered changes to 1 record and 1 schema change, not saved yet"),
    ] {
      let world = try World(.json)
      let (first, storage) = try world.run()
      _ = try Self.perform(["entity create E a:text"] + lines, first)
      storage.die()
      let outcome = try Self.perform(["recover"], try world.run().session)
      #expect("\(outcome)".contains(words), "\(outcome)")
    }
  }
}
