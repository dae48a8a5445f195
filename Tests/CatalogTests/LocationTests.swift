import CatalogApp
import Foundation
import OpenSwiftData
import Stores
import Synchronization
import Testing

@testable import CatalogProgram

/// URLs as locations, with a kind of store that stands for a service.
@Suite struct LocationTests {
  private let folder: TemporaryFolder
  private let opened = Opened()
  private let url = "service://ann:secret@host/db?mode=fast"

  /// The URLs that the kind was asked to open.
  private final class Opened: Sendable {
    let urls = Mutex<[String]>([])
  }

  init() throws { folder = try TemporaryFolder() }

  /// The services with a service, whose records are those of one container.
  private func services() throws -> CatalogServices {
    let opened = opened
    let schema = Schema([
      Schema.Entity("Film", attributes: [.init("title", .text), .init("year", .integer)])
    ])
    let container = try ModelContainer(
      configurations: MemoryStoreConfiguration(schema: schema)
    )
    let kind = StoreKind(name: "service", schemes: ["service", "services"]) { url, _ in
      opened.urls.withLock { $0.append(url) }
      guard !url.contains("/missing") else {
        throw PersistenceError(.inaccessible, "cannot connect to \(url): no such database")
      }
      return container
    }
    return CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: geteuid(),
      recoveryFolder: folder.file("state/catalog/recovery"),
      kinds: StoreKind.standard + [kind]
    )
  }

  @Test(arguments: ["service", "services", "SERVICE"])
  func aURLIsOpenedWholeAndShownWithoutItsPassword(_ scheme: String) throws {
    let url = url.replacing("service:", with: scheme + ":")
    let location = try services().location(url, store: nil)
    #expect(location.text == url && location.isURL && location.path == "")
    #expect(location.shown == "\(scheme)://ann@host/db?mode=fast")
    let store = try services().open(url, schema: nil, isReadOnly: false)
    #expect(opened.urls.withLock { $0 } == [url])
    #expect(store.name == "\(scheme)://ann@host/db")
    #expect(store.exists && store.isLasting)
    #expect(try services().location(url, store: "service") == location)
  }

  @Test func theTextAfterTheFileOfADatabaseNamesATable() throws {
    let path = folder.file("films.db")
    let schema = Schema(
      ["Film", "Person"].map { Schema.Entity($0, attributes: [.init("name", .text)]) }
    )
    let services = try services()
    let context = ModelContext(try services.open(path, schema: schema, isReadOnly: false).container)
    context.insert(Record(entity: try schema.entity(named: "Person")))
    try context.save()
    for location in ["\(path)#Person", "sqlite:\(path)#Person", "sqlite:\(path)?table=Person"] {
      let store = try services.open(location, schema: nil, isReadOnly: false)
      #expect(store.exists && store.entityName == "Person")
      let text = try #require(try services.location(location, store: nil).text)
      #expect(try services.open(text, schema: nil, isReadOnly: false).entityName == "Person")
      #expect(try services.isSame(location, path))
    }
    for location in ["\(path)#person", "\(path)?table=", "\(path)?mode=ro"] {
      #expect(throws: CommandError.self) {
        try services.open(location, schema: nil, isReadOnly: false)
      }
    }
    let before = try services.open(path, schema: nil, isReadOnly: false)
    #expect(before.entityName == nil)
    try FileManager.default.copyItem(atPath: path, toPath: "\(path)#Person")
    #expect(try services.open("\(path)#Person", schema: nil, isReadOnly: false).entityName == nil)
  }

  @Test func noFileIsLookedForUnderAURL() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("service:/host"),
      withIntermediateDirectories: true
    )
    #expect(try services().location("service://host", store: nil).isURL)
    #expect(try services().paths(beginning: "service://").isEmpty)
  }

  @Test(
    arguments: [
      (
        "mysql://ann:secret@host/db", nil,
        #""mysql://ann@host/db": unknown URL scheme "mysql"; available: postgres, postgresql, service, services"#
      ),
      (
        "service://ann:secret@host/db", "json",
        #""service://ann@host/db" conflicts with --store json"#
      ),
      ("service:db", nil, #""service:db": a service store is not a file; give a URL: service://…"#),
      (
        "films.json", "service",
        #""films.json": a service store is not a file; give a URL: service://…"#
      ),
      (
        "service://ann:my secret@host", nil,
        "service: white space or a quote in the URL; write them percent-encoded, as in %20"
      ),
      ("service://", nil, #""service://": incomplete URL; expected SCHEME://HOST/…"#),
    ] as [(String, String?, String)]
  )
  func aLocationThatNoKindOpensIsOneLineWithoutThePassword(
    _ text: String,
    _ store: String?,
    _ line: String
  ) throws {
    let services = try services()
    let error = #expect(throws: CommandError.self) { try services.location(text, store: store) }
    #expect(error.map { errorLine($0) } == line)
  }

  @Test func aSchemeThatNoKindOfTheProgramOpensIsOneLine() throws {
    let run = try folder.run(["mysql://ann:secret@host/db", "-e", "count"])
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(
      run.errors
        == "catalog: \"mysql://ann@host/db\": unknown URL scheme \"mysql\"; available: postgres, postgresql\n"
    )
    let copy = try folder.run(["memory:", "--sample", "-e", "saveas mysql://ann:secret@host/db"])
    #expect(copy.status == 1 && !copy.errors.contains("secret"), "\(copy.errors)")
  }

  @Test func anErrorOfTheStoreIsShownWithoutThePassword() throws {
    let services = try services()
    let error = #expect(throws: PersistenceError.self) {
      try services.open("service://ann:secret@host/missing", schema: nil, isReadOnly: false)
    }
    #expect(
      error.map { errorLine($0) }
        == "cannot connect to service://ann@host/missing: no such database"
    )
  }

  @Test func anotherPasswordIsTheSameStore() throws {
    let services = try services()
    #expect(try services.isSame("service://ann:a@host/db", "service://ann:b@host/db"))
    #expect(try !services.isSame("service://ann:a@host/db", "service://ann:a@host/other"))
    #expect(try !services.isSame("service://ann:a@host/db", folder.file("films.json")))
  }

  /// The arguments of a running program, which all users can read.
  @Test func theListOfProcessesShowsNoPassword() throws {
    let run = try folder.inShell(
      """
      mkfifo in out
      "$catalog" memory: --sample -e 'saveas copy.json # service://ann:secret@host/db' \\
        --script - <in >out &
      exec 3>in 4<out
      read -r count <&4
      tr '\\0' ' ' </proc/$!/cmdline
      exec 3>&-
      wait
      """
    )
    #expect(run.output.contains("service://ann@host/db"), "\(run.output) \(run.errors)")
    #expect(!run.output.contains("secret"))
  }

  // MARK: Recovery

  private func session(_ services: CatalogServices, _ url: String) throws -> Session {
    let session = try services.session(on: url)
    session.store.location = url
    session.store.recovery = services.recovery(for: url)
    return session
  }

  @Test func unsavedChangesAreFoundAgainUnderTheSameLocation() throws {
    let services = try services()
    var crashed: Session? = try session(services, url)
    _ = try crashed?.perform("insert title=Up year=2009")
    try crashed?.store.keepEdits()
    let path = try #require(crashed?.store.recovery?.ownPath)
    #expect(path.hasPrefix(folder.file("state/catalog/recovery/")))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("Up") && !text.contains("secret") && !path.contains("host"))
    crashed = nil
    #expect(try session(services, "service://ann@other/db").store.recovery?.found.isEmpty == true)
    // The password may have changed since.
    let next = try session(services, url.replacing("secret", with: "new"))
    #expect(next.store.recovery?.found.count == 1)
    _ = try next.perform("recover")
    #expect(next.store.unsavedCounts.inserted == 1)
  }

  @Test func aFolderThatCannotBeUsedIsReportedWithTheFirstUnsavedChange() throws {
    try folder.write("a file", to: "state")
    let session = try session(services(), url)
    _ = try session.perform("insert title=Up")
    let error = #expect(throws: PersistenceError.self) { try session.store.keepEdits() }
    #expect(error?.message.contains(folder.file("state")) ?? false, "\(error?.message ?? "")")
    #expect(session.store.recovery?.found.isEmpty == true && session.store.recovery?.ownPath == nil)
    #expect(session.context.hasChanges)
  }
}
