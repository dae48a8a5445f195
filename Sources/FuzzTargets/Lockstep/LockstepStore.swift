import CatalogApp
import OpenSwiftData
import StoreTorture
import Stores

/// The kinds of stores in a run.
enum LockstepKind: String, CaseIterable, Sendable {
  case memory, json, log
  /// JSON files without a header: an array, and JSON Lines.
  case plain, lines

  /// The kinds that can start empty.
  static let own: [LockstepKind] = [.memory, .json, .log]

  var fileName: String {
    switch self {
    case .memory: ""
    case .json: "own.json"
    case .log: "own.catlog"
    case .plain: "store.json"
    case .lines: "store.jsonl"
    }
  }

  var isForeign: Bool { self == .plain || self == .lines }
}

/// A store under test, controlled only by script lines.
final class LockstepStore {
  let kind: LockstepKind
  private let services: LockstepServices
  private let memory: ModelContainer?
  private var session: Session
  private var output = ""
  private var complaints: [String] = []
  /// The identifiers of the most recently listed records, by entity and tag.
  private var identifiers: [String: [Int: String]] = [:]

  /// Opens an empty store, or one with an entity's records in a file without a header.
  init(_ kind: LockstepKind, seed: UInt64, _ start: LockstepEntity?) throws {
    self.kind = kind
    let objects = (start?.records ?? []).map { LockstepStore.object($0, start?.fields ?? []) }
    let array = "[" + objects.joined(separator: ",\n ") + "]\n"
    let text = kind == .lines ? objects.joined(separator: "\n") + "\n" : array
    services = LockstepServices(
      seed: seed,
      kind.isForeign ? [kind.fileName: Array(text.utf8)] : [:]
    )
    memory = try kind == .memory ? ModelContainer(configurations: MemoryStoreConfiguration()) : nil
    session = try services.session(kind.fileName, memory)
    guard let start, !kind.isForeign else { return }
    write(array, to: "start.json")
    for line in ["import start.json into \(LockstepLine.quoted(start.name))", "save"] {
      guard try run(line) != nil else { throw FuzzViolation("\(line): \(complaint)") }
    }
    try reopen()
  }

  /// A record as an object; missing values have no member.
  static func object(_ record: LockstepRecord, _ fields: [LockstepField]) -> String {
    let members = fields.compactMap { field -> String? in
      guard case .value(let value) = record[field.name] else { return nil }
      return LockstepJSON.string(field.name).written + ": " + value.written
    }
    return "{" + (["\"tag\": \(record.tag)"] + members).joined(separator: ", ") + "}"
  }

  /// Runs a line and returns its output; nil if it failed.
  func run(_ line: String, format: OutputFormat? = nil) throws -> String? {
    (output, complaints) = ("", [])
    // The lines of these commands are read as text.
    session.settings.format = format ?? (["check", "status"].contains(line) ? .tsv : .json)
    let runner = ScriptRunner(
      session: session,
      printer: { [unowned self] format in
        ResultPrinter(format, isTerminal: false) { self.output += $0 }
      },
      complain: { [unowned self] in complaints.append($0) },
      keepsGoing: true
    )
    _ = try runner.run(line, number: 1)
    return runner.ending == .finished ? output : nil
  }

  var complaint: String { complaints.joined(separator: "; ") }

  /// Closes and reopens the store.
  func reopen() throws { session = try services.session(kind.fileName, memory) }

  func write(_ text: String, to path: String) { services.files[path] = Array(text.utf8) }

  // MARK: Steps

  /// Runs a step.
  ///
  /// - Returns: Its output; nil if it failed.
  func perform(_ step: LockstepStep, _ now: LockstepModel) throws -> String? {
    switch step {
    case .begin: return ""
    case .reopen:
      try reopen()
      return ""
    case .importBack(let name, let format, let new):
      return try importBack(name, format, new, now)
    case .importNew(let name, let format, let new):
      let fields = Self.fields(of: now[name])
      let target = LockstepLine.quoted(new)
      return try runAll([
        "export x.\(format) \(LockstepLine.quoted(name)) fields \(fields)",
        "import x.\(format) into \(target)",
      ])
    case .revert(let name, let tag, let back):
      let identifier = identifiers[name]?[tag] ?? "?"
      guard case .array(let rows)? = LockstepReader.read(try run("history \(identifier)") ?? "")
      else {
        return nil
      }
      var tokens = rows.compactMap { $0["token"]?.written }
      tokens = tokens.indices.filter { $0 == 0 || tokens[$0] != tokens[$0 - 1] }.map { tokens[$0] }
      guard back < tokens.count else { return nil }
      return try run("revert \(identifier) to \(tokens[tokens.count - 1 - back])")
    case .copy(let ending): return try copy(ending)
    case .compact where kind != .log: return ""
    default: return try run(LockstepStore.line(step) { self.identifiers[$0]?[$1] })
    }
  }

  /// Runs lines until one fails.
  private func runAll(_ lines: [String]) throws -> String? {
    var text = ""
    for line in lines {
      guard let output = try run(line) else { return nil }
      text += output
    }
    return text
  }

  private static func fields(of entity: LockstepEntity?) -> String {
    let names = (entity?.fields ?? []).filter { $0.destination == nil }.map(\.name)
    return (["tag"] + names).map {
      "`\($0.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``"))`"
    }
    .joined(separator: ",")
  }

  private func importBack(
    _ name: String,
    _ format: String,
    _ new: String,
    _ now: LockstepModel
  ) throws -> String? {
    guard let entity = now[name] else { return nil }
    var copy = entity
    copy.name = new
    copy.fields.removeAll { $0.destination != nil }
    return try runAll([
      "export x.\(format) \(LockstepLine.quoted(name)) fields \(Self.fields(of: entity))",
      Self.line(.create(copy)) { _, _ in nil },
      "import x.\(format) into \(LockstepLine.quoted(new))",
    ])
  }

  private var copyCount = 0

  /// Copies the store, opens the copy and returns its content as the output.
  private func copy(_ ending: String) throws -> String? {
    copyCount += 1
    let path = "copy\(copyCount).\(ending)"
    guard try run("saveas \(path)") != nil else { return nil }
    let own = (session, identifiers)
    defer { (session, identifiers) = own }
    session = try services.session(path, nil)
    copied = try contents()
    let answer = try run("check")
    guard answer == "ok\n" else {
      throw FuzzViolation("the copy is not in order: \(answer ?? complaint)")
    }
    return answer
  }

  /// The content of the most recent copy.
  private(set) var copied: LockstepContents?

  // MARK: Contents

  /// Everything that the store shows of its records and fields.
  func contents() throws -> LockstepContents {
    guard let text = try run("entities"), case .array(let rows)? = LockstepReader.read(text) else {
      throw FuzzViolation("\(kind.rawValue): the entities cannot be listed: \(complaint)")
    }
    let names = rows.compactMap { $0["name"]?.string }
    var lists: [String: [LockstepJSON]] = [:]
    var schemas: [String: [LockstepJSON]] = [:]
    for name in names {
      lists[name] = try rowsOf("list \(LockstepLine.quoted(name))")
      schemas[name] = try fieldsOf(name)
    }
    identifiers = [:]
    for (name, rows) in lists {
      for row in rows {
        guard let tag = row["tag"].flatMap({ Int($0.written) }), let id = row["id"]?.string else {
          throw FuzzViolation("\(kind.rawValue): a record of \(name) without tag: \(row.written)")
        }
        identifiers[name, default: [:]][tag] = id
      }
    }
    return LockstepContents(names: names, lists: lists, schemas: schemas)
  }

  /// The fields of an entity, one object a line: as JSON the command prints a schema file.
  private func fieldsOf(_ name: String) throws -> [LockstepJSON] {
    let line = "schema \(LockstepLine.quoted(name))"
    guard let text = try run(line, format: .jsonl) else {
      throw FuzzViolation("\(kind.rawValue): \(line): \(complaint)")
    }
    return try text.split(separator: "\n").map { row in
      guard let field = LockstepReader.read(String(row)) else {
        throw FuzzViolation("\(kind.rawValue): \(line) is not JSON: \(row)")
      }
      return field
    }
  }

  private func rowsOf(_ line: String) throws -> [LockstepJSON] {
    guard let text = try run(line) else {
      throw FuzzViolation("\(kind.rawValue): \(line): \(complaint)")
    }
    guard case .array(let rows)? = LockstepReader.read(text) else {
      throw FuzzViolation("\(kind.rawValue): \(line) is not JSON: \(text)")
    }
    return rows
  }
}
