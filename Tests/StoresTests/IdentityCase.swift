import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A file before and after another program changed it, an edit of one record, and what a save must do.
struct IdentityCase: Decodable, Sendable, CustomTestStringConvertible {
  struct Edit: Decodable, Sendable {
    /// The record, counted from 1; nil for a new one.
    let row: Int?
    let set: [String: String]?
    let delete: Bool?
    let insert: [String: String]?
  }

  struct Expectation: Decodable, Sendable {
    let conflict: Bool
    let file: String
  }

  let before: String
  let theirs: String
  let edit: Edit
  let expect: Expectation
  /// The fields by which the record was named.
  let by: [String]?
  let note: String?

  var testDescription: String { "\(note ?? "") \(before.debugDescription) \(edit)" }

  /// The cases of the fixture.
  static let all: [IdentityCase] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/identity-cases.jsonl")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(IdentityCase.self, from: Data($0.utf8))
    }
  }()
}

/// A form of a file without identifiers.
enum IdentityForm: String, CaseIterable, Sendable {
  case csv, tsv, json, jsonl

  /// The text of a CSV file without quotes in this form.
  func text(_ csv: String) -> String {
    let lines = csv.split(separator: "\n", omittingEmptySubsequences: false)
    switch self {
    case .csv: return csv
    case .tsv:
      return csv.replacing(",", with: "\t").replacing(";", with: "\t")
    case .json: return "[\n" + objects(lines).joined(separator: ",\n") + "\n]\n"
    case .jsonl: return objects(lines).map { $0 + "\n" }.joined()
    }
  }

  private func objects(_ lines: [Substring]) -> [String] {
    func cells(_ line: Substring) -> [String] {
      line.split(omittingEmptySubsequences: false) { $0 == "," || $0 == ";" }.map(String.init)
    }
    let names = cells(lines[0])
    return lines.dropFirst().dropLast().map { line in
      let members = zip(names, cells(line)).filter { !$0.1.isEmpty }.map { name, text in
        let number = SpelledNumber(text.utf8)
        let isBare = number != nil && number?.isCode == false
        return "\"\(name)\": " + (isBare ? text : "\"\(text)\"")
      }
      return "{" + members.joined(separator: ", ") + "}"
    }
  }
}

/// Saves on top of what another program wrote to a file without identifiers.
@Suite struct IdentityCaseTests {
  @Test func theFixtureIsComplete() { #expect(IdentityCase.all.count == 100) }

  @Test(arguments: IdentityForm.allCases, IdentityCase.all)
  func anEditGoesToItsRecordOrIsAConflict(form: IdentityForm, example: IdentityCase) throws {
    let folder = try TemporaryFolder()
    let name = "products.\(form)"
    try folder.put(name, form.text(example.before))
    let context = try folder.context(on: name)
    let entity = try #require(context.schema.entities.first)
    if let by = example.by {
      let store = try #require(context.container.stores.first as? any TextBackedStore)
      let all = try context.fetchIdentifiers(matching: Query(entity.name))
      store.identify([RecordFields(entity.name, by: by, Set(all))])
    }
    try edit(example.edit, in: context, entity)
    let theirs = form.text(example.theirs)
    try folder.put(name, theirs)
    let error = saveError(context)
    let text = try folder.text(name)
    guard !example.expect.conflict else {
      #expect(error?.code == .conflict)
      #expect(text == theirs)
      return
    }
    #expect(error == nil, "\(error?.message ?? "")")
    switch form {
    case .csv, .tsv: #expect(text == form.text(example.expect.file))
    case .json, .jsonl:
      try folder.put("expected.\(form)", form.text(example.expect.file))
      #expect(try folder.rows(name) == folder.rows("expected.\(form)"))
    }
  }

  private func saveError(_ context: ModelContext) -> PersistenceError? {
    do {
      try context.save()
      return nil
    } catch {
      return error as? PersistenceError ?? PersistenceError(.inaccessible, "\(error)")
    }
  }

  private func edit(_ edit: IdentityCase.Edit, in context: ModelContext, _ entity: Schema.Entity)
    throws
  {
    func value(_ text: String, of name: String) throws -> Value {
      try Value(parsing: text, as: try entity.attribute(named: name).type)
    }
    if let insert = edit.insert {
      let record = Record(entity: entity)
      for (name, text) in insert { try record.set(value(text, of: name), for: name) }
      context.insert(record)
      return
    }
    let identifiers = try context.fetchIdentifiers(matching: Query(entity.name))
    let identifier = identifiers[(edit.row ?? 0) - 1]
    if edit.delete == true {
      _ = try context.delete([identifier]) { _ in }
      return
    }
    let record = try #require(try context.records(for: [identifier]).first)
    for (name, text) in edit.set ?? [:] { try record.set(value(text, of: name), for: name) }
  }
}

extension TemporaryFolder {
  /// The values of the records of a file with one entity, by name, as they are compared.
  func rows(_ name: String) throws -> [[String: String]] {
    let context = try context(on: name)
    let entity = try #require(context.schema.entities.first)
    return try context.fetchSnapshots(matching: Query(entity.name)).map { snapshot in
      var row: [String: String] = [:]
      for (name, value) in zip(snapshot.layout.names, snapshot.orderedValues) where !value.isNull {
        row[name] = value.spelledAlike
      }
      return row
    }
  }
}
