import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Stores

/// The output and the end of a script.
struct ScriptResult: Equatable, CustomStringConvertible {
  var output: String
  var errors: String
  var status: Int32

  var description: String { "status \(status)\n\(output)--\n\(errors)" }
}

/// The environment of a script in memory: files by path, stores by location.
final class MemoryServices: Services {
  var author: String? { "ada" }
  var outputWidth: Int? { nil }
  var clock: WallClock {
    // 2026-11-24
    WallClock(now: { Date(timeIntervalSince1970: 1_795_478_400) }, secondsFromUTC: { _ in 0 })
  }
  var files: [String: [UInt8]] = [:]
  var stores: [String: ModelContainer] = [:]

  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore {
    if let container = stores[location] {
      return OpenedStore(container: container, name: location, exists: true)
    }
    let container = try ModelContainer(
      configurations: [ReferenceStoreConfiguration(name: location, schema: schema, seed: 7)]
    )
    stores[location] = container
    return OpenedStore(container: container, name: location, exists: false)
  }

  func readFile(_ path: String) throws -> [UInt8] {
    guard let bytes = files[path] else {
      throw PersistenceError(.inaccessible, "cannot open \(path): no such file")
    }
    return bytes
  }

  func delimitedText(_ bytes: [UInt8], promised: UInt8?, reading: ReadingOptions) throws
    -> DelimitedText
  {
    try DelimitedText(reading: bytes, promised: promised, options: reading)
  }

  func writeFile(_ path: String, _ body: (_ write: OutputSink) throws -> Void) throws {
    guard !path.hasPrefix("/full/") else {
      throw PersistenceError(.inaccessible, "cannot write \(path): no space left on device")
    }
    var bytes: [UInt8] = []
    try body { bytes += $0 }
    files[path] = bytes
  }

  func text(_ path: String) -> String? { files[path].map { String(decoding: $0, as: UTF8.self) } }
}

/// A session on a small store that runs scripts.
struct ScriptFixture {
  static let film = Schema.Entity(
    "Film",
    attributes: [
      Schema.Attribute("title", .text, isOptional: false),
      Schema.Attribute("releaseYear", .integer),
      Schema.Attribute("director", .text),
      Schema.Attribute("boxOffice", .decimal),
      Schema.Attribute("rating", .number),
      Schema.Attribute("seen", .boolean, defaultValue: .boolean(false)),
      Schema.Attribute("released", .date),
    ]
  )
  static let linked = Schema(
    Schema.Entity("Studio", attributes: [Schema.Attribute("name", .text)]),
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("studio", .link("Studio")),
        Schema.Attribute("sequels", .links("Film")), Schema.Attribute("notes", .json),
      ]
    )
  )

  let services = MemoryServices()
  let session: Session

  init(
    _ schema: Schema = Schema(film),
    store: (any DataStoreConfiguration)? = nil,
    entityName: String? = nil,
    isReadOnly: Bool = false,
    format: OutputFormat = .tsv
  ) throws {
    var generator = SeededGenerator(seed: 1)
    let start = generator.next()
    session = Session(
      container: try ModelContainer(
        configurations: [
          store
            ?? MemoryStoreConfiguration(
              schema: schema,
              now: { Date(timeIntervalSince1970: 0.0015) },
              random: { start }
            )
        ]
      ),
      storeName: "films",
      entityName: entityName,
      isReadOnly: isReadOnly,
      services: services,
      format: format
    )
  }

  /// Runs the lines; identifiers in the output stay unchanged.
  @discardableResult
  func run(_ script: String, keepsGoing: Bool = false, echoesNotes: Bool = false) throws
    -> ScriptResult
  {
    try run(bytes: [Array(script.utf8)], keepsGoing: keepsGoing, echoesNotes: echoesNotes)
  }

  func run(bytes chunks: [[UInt8]], keepsGoing: Bool = false, echoesNotes: Bool = false) throws
    -> ScriptResult
  {
    var result = ScriptResult(output: "", errors: "", status: 0)
    let runner = ScriptRunner(
      session: session,
      printer: { format in
        ResultPrinter(format, isTerminal: false) { result.output += $0 }
      },
      complain: { result.errors += $0 + "\n" },
      keepsGoing: keepsGoing,
      echoesNotes: echoesNotes
    )
    var rest = chunks[...]
    try runner.run { rest.popFirst() ?? [] }
    if case .failed(let status) = runner.ending { result.status = status }
    return result
  }

  /// Inserts and saves three films.
  static let filmLines = """
    insert title=Up releaseYear=2009 director="Pete Docter" boxOffice=735.10 rating=8.3 seen=true
    insert title="Finding Nemo" releaseYear=2003 director="Andrew Stanton" boxOffice=871.01
    insert title=Soul releaseYear=2020 director="Pete Docter" rating=8
    save
    """

  /// Three films, saved.
  static func withFilms(format: OutputFormat = .tsv, isReadOnly: Bool = false) throws
    -> ScriptFixture
  {
    let fixture = try ScriptFixture(format: format)
    try fixture.run(filmLines)
    return fixture
  }
}

extension String {
  /// The text with every record key replaced by `ID`.
  var normalized: String {
    let digits = Set("0123456789abcdefghjkmnpqrstvwxyz")
    var result = ""
    var word = ""
    func flush() {
      let isKey =
        word.count == 16 && word.allSatisfy(digits.contains) && word.contains(where: \.isNumber)
      result += isKey ? "ID" : word
      word = ""
    }
    for character in self {
      if character.isLetter || character.isNumber {
        word.append(character)
      } else {
        flush()
        result.append(character)
      }
    }
    flush()
    return result
  }
}
