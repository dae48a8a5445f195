import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Random edits and schema changes, undone, redone, saved and reopened, on all stores and compared
/// with plain dictionaries.
@Suite struct SchemaLockStepTests {
  /// The contents of an entity: its fields in order, and the values of each record by its number.
  struct Contents: Equatable {
    var fields: [String]
    var rows: [Int64: [String: Value]] = [:]
  }

  private struct Oracle {
    var live = Contents(fields: ["n", "a", "b"])
    var stored = Contents(fields: ["n", "a", "b"])
    var undoable: [(before: Contents, after: Contents)] = []
    var redoable: [(before: Contents, after: Contents)] = []

    mutating func change(to contents: Contents) {
      undoable.append((live, contents))
      redoable = []
      live = contents
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func everyStoreDoesTheSameAndUndoLeadsBack() throws {
    let seed = SeededGenerator.testSeed
    print("seed", seed)
    for round in 0..<(ProcessInfo.processInfo.environment["ROUNDS"].flatMap { UInt64($0) } ?? 12) {
      var random = SeededGenerator(seed: seed &+ round)
      try run(&random, "seed \(seed), round \(round)")
    }
  }

  private func run(_ random: inout SeededGenerator, _ what: String) throws {
    let entity = Schema.Entity(
      "E",
      attributes: [
        Schema.Attribute("n", .integer), Schema.Attribute("a", .text),
        Schema.Attribute("b", .integer, defaultValue: .integer(7)),
      ]
    )
    let names = ["memory", "e.json", "e.catlog", "e.db"]
    for name in names + ["e.db-wal", "e.db-shm"] {
      try? FileManager.default.removeItem(atPath: folder.file(name))
    }
    var contexts = try names.map { try open($0, Schema(entity)) }
    var oracle = Oracle()
    var log: [String] = []
    for number in Int64(0)..<50 {
      var next = oracle.live
      let operation = Int.random(in: 0..<100, using: &random)
      let fields = next.fields.filter { $0 != "n" }
      let row = next.rows.keys.sorted().randomElement(using: &random)
      switch operation {
      case 0..<15:
        log.append("insert \(number)")
        next.rows[number] = [:]
        for field in next.fields { next.rows[number]?[field] = defaultValue(field) }
        next.rows[number]?["n"] = .integer(number)
        for context in contexts {
          let record = Record(entity: try context.schema.entity(named: "E"))
          try record.set(.integer(number), for: "n")
          context.insert(record)
        }
        oracle.change(to: next)
      case 15..<40:
        guard let row, let field = fields.randomElement(using: &random) else { continue }
        let value = value(field, number)
        log.append("set \(row) \(field)")
        next.rows[row]?[field] = value
        guard next != oracle.live else { continue }
        for context in contexts { try record(row, context).set(value, for: field) }
        oracle.change(to: next)
      case 40..<46:
        guard let row else { continue }
        log.append("delete \(row)")
        next.rows[row] = nil
        for context in contexts { context.delete(try record(row, context)) }
        oracle.change(to: next)
      case 46..<54:
        let isText = Bool.random(using: &random)
        let name = (isText ? "t" : "i") + "\(number)"
        log.append("add \(name)")
        next.fields.append(name)
        for row in next.rows.keys { next.rows[row]?[name] = defaultValue(name) }
        let attribute = Schema.Attribute(
          name,
          isText ? .text : .integer,
          defaultValue: defaultValue(name)
        )
        for context in contexts { try context.stage(.addAttribute(entity: "E", attribute)) }
        oracle.change(to: next)
      case 54..<61:
        guard let field = fields.randomElement(using: &random) else { continue }
        let name = field + "_"
        log.append("rename \(field)")
        next.fields = next.fields.map { $0 == field ? name : $0 }
        for row in next.rows.keys {
          let value = next.rows[row]?.removeValue(forKey: field)
          next.rows[row]?[name] = value
        }
        for context in contexts {
          try context.stage(.renameAttribute(entity: "E", from: field, to: name))
        }
        oracle.change(to: next)
      case 61..<68:
        guard let field = fields.randomElement(using: &random) else { continue }
        log.append("drop \(field)")
        next.fields.removeAll { $0 == field }
        for row in next.rows.keys { next.rows[row]?[field] = nil }
        for context in contexts { try context.stage(.dropAttribute(entity: "E", name: field)) }
        oracle.change(to: next)
      case 68..<80:
        log.append("undo")
        for context in contexts {
          #expect(try (context.undo() != nil) == !oracle.undoable.isEmpty, "\(what) \(log)")
        }
        guard let step = oracle.undoable.popLast() else { continue }
        oracle.redoable.append(step)
        oracle.live = step.before
      case 80..<87:
        log.append("redo")
        for context in contexts {
          #expect(try (context.redo() != nil) == !oracle.redoable.isEmpty, "\(what) \(log)")
        }
        guard let step = oracle.redoable.popLast() else { continue }
        oracle.undoable.append(step)
        oracle.live = step.after
      case 87..<95:
        log.append("save")
        for context in contexts { try context.save() }
        oracle.stored = oracle.live
      case 95..<98:
        log.append("rollback")
        // Unsaved changes that cancel each other out are a step as well.
        let hasChanges = contexts.contains(where: \.hasChanges)
        for context in contexts { context.discardChanges() }
        if hasChanges { oracle.change(to: oracle.stored) }
      default:
        log.append("reopen")
        contexts = try zip(names, contexts).map { name, context in
          name == "memory" ? ModelContext(context.container) : try open(name)
        }
        let stored = oracle.stored
        oracle = Oracle()
        (oracle.live, oracle.stored) = (stored, stored)
        // A store that was never saved has no schema when it is reopened.
        guard contexts.allSatisfy({ !$0.schema.entities.isEmpty }) else { return }
      }
      for (name, context) in zip(names, contexts) {
        context.closeUndoStep(named: "step")
        try compare(context, oracle, "\(name): \(what) \(log)")
      }
    }
    while !oracle.undoable.isEmpty {
      let step = oracle.undoable.removeLast()
      oracle.live = step.before
      for (name, context) in zip(names, contexts) {
        _ = try context.undo()
        try compare(context, oracle, "\(name): \(what) \(log) undo all")
      }
    }
    for context in contexts { try context.save() }
    oracle.stored = oracle.live
    for (name, context) in zip(names, contexts) {
      try compare(context, oracle, "\(name): \(what) \(log) saved")
      guard name != "memory", FileManager.default.fileExists(atPath: folder.file(name)) else {
        continue
      }
      try compare(open(name), oracle, "\(name): \(what) \(log) reopened")
    }
  }

  private func compare(_ context: ModelContext, _ oracle: Oracle, _ what: String) throws {
    var found = Contents(fields: context.schema.entitiesByName["E"]?.layout.names ?? [])
    for snapshot in try context.fetchSnapshots(matching: Query("E")) {
      guard case .integer(let number) = snapshot["n"] else { continue }
      found.rows[number] = snapshot.values
    }
    #expect(Set(found.fields) == Set(oracle.live.fields), "\(what)")
    #expect(found.rows == oracle.live.rows, "\(what)")
    let isSaved = oracle.live == oracle.stored
    if !isSaved { #expect(context.hasChanges, "\(what)") }
  }

  private func open(_ name: String, _ schema: Schema? = nil) throws -> ModelContext {
    try folder.context(on: name, schema: schema)
  }

  private func record(_ number: Int64, _ context: ModelContext) throws -> Record {
    let query = Query("E", filter: .compare("n", .equal, .integer(number)))
    let identifiers = try context.fetchIdentifiers(matching: query)
    return try #require(try context.records(for: identifiers).first)
  }

  /// A field keeps its kind when it is renamed; its first letter identifies the kind.
  private func isText(_ field: String) -> Bool { field.hasPrefix("a") || field.hasPrefix("t") }

  private func defaultValue(_ field: String) -> Value {
    if field.hasPrefix("b") { return .integer(7) }
    return field.hasPrefix("t") ? .text("none") : .null
  }

  private func value(_ field: String, _ number: Int64) -> Value {
    isText(field) ? .text("v\(number)") : .integer(number)
  }
}
