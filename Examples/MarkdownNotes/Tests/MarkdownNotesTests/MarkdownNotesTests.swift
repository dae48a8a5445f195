import DataStoreTesting
import Foundation
import MarkdownNotes
import OpenSwiftData
import SwiftData
import Testing

@Suite struct MarkdownNotesTests {
  private static let root = FileManager.default.temporaryDirectory.appending(
    path: "notes-\(UUID())"
  )

  private static let conformance = StoreConformance(
    promises: [
      .conflicts, .validation, .uniqueness, .permanentIdentifiers, .exactMoments, .untypedRecords,
      .infiniteNumbers, .detectsConflicts, .sharing,
    ],
    rounds: 60,
    queryStride: 5,
    isLasting: true,
    makeConfiguration: { schema in
      MarkdownConfiguration(
        MarkdownFormat(root.appending(path: "\(UUID())"), mainEntity: "Film"),
        schema: schema
      )
    }
  )

  @Test(arguments: StoreConformance.cases)
  func keepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.conformance.findings(of: testCase) == [])
  }

  private let folder = root.appending(path: "\(UUID())")

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Note.self,
        configurations: MarkdownConfiguration(MarkdownFormat(folder))
      )
    )
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// Another number stands for a file that was replaced.
  private func fileNumber(_ name: String) throws -> Int? {
    let path = folder.appending(path: name).path
    return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  private func edit(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  private func notes(_ context: ModelContext) throws -> [Note] {
    try context.fetch(
      FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
    )
  }

  @Test func aNoteIsAFileThatPeopleCanRead() throws {
    let context = try open()
    let alps = Note("The Alps", body: "# High\n\nand *white*.")
    let trient = Note("Trient: a hut", body: "")
    alps.isPinned = true
    alps.links = [trient]
    context.insert(alps)
    try context.save()
    #expect(
      try text("the-alps.md") == """
        ---
        title: The Alps
        isPinned: true
        links: [[trient-a-hut]]
        ---
        # High

        and *white*.

        """
    )
    #expect(try text("trient-a-hut.md") == "---\ntitle: \"Trient: a hut\"\nlinks: []\n---\n")
    let again = try notes(open())
    #expect(again.map(\.title) == ["The Alps", "Trient: a hut"])
    #expect(again.first?.links.map(\.title) == ["Trient: a hut"])
    #expect(again.first?.body == alps.body)
  }

  @Test func anEditInAnEditorIsSeenByTheNextFetch() throws {
    let context = try open()
    context.insert(Note("Alps", body: "old"))
    try context.save()
    let note = try #require(try notes(context).first)
    try edit("alps.md", "---\r\ntitle: Alps\r\nisPinned: true\r\n---\r\nnew\n")
    try edit("huts.md", "No front matter, see [[alps]].\n")
    #expect(try notes(context).map(\.title) == ["Alps", "huts"])
    #expect(note.body == "new" && note.isPinned)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    // The folder is watched, so each edit may be a transaction of its own.
    #expect(history.first?.isExternal == false && history.count > 1)
    #expect(Set(history.dropFirst().map(\.isExternal)) == [true])
  }

  @Test(.timeLimit(.minutes(1))) func anEditIsReportedWithoutAFetch() async throws {
    let context = try open()
    context.insert(Note("Alps", body: "old"))
    try context.save()
    context.container.startWatching()
    let store = try #require(context.container.stores.first as? any ChangeFeedingStore)
    var changes = store.changeFeed.changes.makeAsyncIterator()
    try edit("alps.md", "---\ntitle: Alps\n---\nnew\n")
    #expect(await changes.next()?.updated.map(\.description) == ["alps"])
  }

  @Test func onlyTheFileOfAChangedNoteIsWritten() throws {
    let context = try open()
    context.insert(Note("Alps", body: "old"))
    context.insert(Note("Huts", body: "old"))
    try context.save()
    let other = "---\ntitle: Huts\ntags:\n  - stone\n  - wood\n# by hand\n---\nold\n"
    try edit("huts.md", other)
    let number = try fileNumber("huts.md")
    let found = try notes(context)
    found[0].body = "new"
    try context.save()
    #expect(try text("huts.md") == other)
    #expect(try fileNumber("huts.md") == number)
    found[1].body = "newer"
    try context.save()
    #expect(
      try text("huts.md")
        == "---\ntitle: Huts\ntags:\n  - stone\n  - wood\n# by hand\n---\nnewer\n"
    )
  }

  @Test func bothChangesOfANoteAreKept() throws {
    let context = try open()
    context.insert(Note("Alps", body: "old"))
    try context.save()
    let note = try #require(try notes(context).first)
    note.isPinned = true
    try edit("alps.md", "---\ntitle: Alps\n---\nnew\n")
    try context.save()
    #expect(try text("alps.md") == "---\ntitle: Alps\nisPinned: true\n---\nnew\n")
    note.body = "mine"
    try edit("alps.md", "---\ntitle: Alps\n---\ntheirs\n")
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try text("alps.md") == "---\ntitle: Alps\n---\ntheirs\n")
  }

  @Test func aFileThatCannotBeReadIsNamed() throws {
    let context = try open()
    try edit("alps.md", "---\nisPinned: perhaps\n---\n")
    let error = #expect(throws: PersistenceError.self) { try context.container.refresh() }
    #expect(try notes(context).isEmpty, "what was loaded last")
    #expect(error?.message.contains("alps.md: isPinned: \"perhaps\"") == true)
    try edit("alps.md", "---\nisPinned: true\n---\n")
    #expect(try notes(context).map(\.isPinned) == [true])
  }

  @Test func fileNamesAreNeverGivenTwice() throws {
    let context = try open()
    for _ in 1...2 { context.insert(Note("Alps")) }
    context.insert(Note("???"))
    try context.save()
    for note in try notes(context) where note.title == "Alps" { context.delete(note) }
    context.insert(Note("Alps"))
    try context.save()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".md") }.sorted()
    #expect(names.count == 2)
    #expect(names.contains("alps-3.md"))
  }

  /// Runs the program that was built together with the tests, in the folder.
  private func catalog(_ arguments: String...) throws -> (output: String, status: Int32) {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appending(path: "catalog-notes")
    process.arguments = arguments
    // Nothing of the user who runs the test is read or written.
    process.environment = ["HOME": folder.path + "-home", "PATH": "/usr/bin:/bin"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process.terminationStatus)
  }

  @Test func theProgramOpensTheFolder() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let saved = try catalog(
      folder.path + "/",
      "-e",
      "insert title=Alps body='Hike up' isPinned=true",
      "-e",
      "save"
    )
    #expect(saved.status == 0, "\(saved.output)")
    #expect(try text("alps.md") == "---\ntitle: Alps\nisPinned: true\n---\nHike up\n")
    try edit("huts.md", "---\ntitle: Huts\nlinks: [[alps]]\n---\nStone\n")
    let listed = try catalog(
      "--format",
      "csv",
      folder.path,
      "-e",
      "list where links != null and body contains \"ton\" fields id,title,links"
    )
    #expect(listed.output == "id,title,links\r\nhuts,Huts,alps\r\n", "\(listed.output)")
    let refused = try catalog("--read-only", folder.path, "-e", "delete huts", "-e", "save")
    #expect(refused.status == 1, "\(refused.output)")
    #expect(try text("huts.md").hasSuffix("Stone\n"))
    let explicit = try catalog("notes:" + folder.path, "-e", "count")
    #expect(explicit.output == "2\n")
    let checked = try catalog(folder.path, "-e", "check")
    #expect(checked.status == 1 && checked.output.contains("this store cannot check itself"))
    let nowhere = try catalog("--store", "notes", "-e", "count")
    #expect(nowhere.status == 2 && nowhere.output.contains("no default location; give a LOCATION"))
    let help = try catalog("--help")
    let locations = "json:PATH, csv:PATH, log:PATH, sqlite:PATH, jsonl:PATH, notes:PATH, memory:."
    #expect(help.output.contains(locations))
  }
}
