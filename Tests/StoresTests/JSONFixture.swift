import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization

@testable import Stores

/// A JSON file in a separate folder, with functions to edit it.
struct JSONFixture {
  let folder: TemporaryFolder
  let name: String
  var path: String { folder.file(name) }

  init(_ text: String? = nil, name: String = "films.json") throws {
    folder = try TemporaryFolder()
    self.name = name
    if let text { try folder.put(name, text) }
  }

  var text: String { get throws { try folder.text(name) } }

  func open(
    schema: Schema? = nil,
    form: JSONStoreConfiguration.Form? = nil,
    isReadOnly: Bool = false
  ) throws -> JSONStore {
    let isDelimited = [".csv", ".tsv"].contains { name.hasSuffix($0) }
    return try JSONStore(
      JSONStoreConfiguration(
        path: path,
        form: form ?? (isDelimited ? .delimited : .json),
        schema: schema,
        isReadOnly: isReadOnly,
        lockTimeoutSeconds: 1,
        now: { Date(timeIntervalSince1970: 1_800_000_000) },
        random: Self.random(seed: 7)
      )
    )
  }

  /// Counts from 1, from any thread.
  static func counter() -> @Sendable () -> Int {
    let count = Mutex(0)
    return {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  static func random(seed: UInt64) -> @Sendable () -> UInt64 {
    let generator = Mutex(SeededGenerator(seed: seed))
    return { generator.withLock { $0.next() } }
  }
}

/// One edit of a table of tests.
enum JSONTestEdit: Sendable {
  /// Sets a value of the record at an index.
  case set(Int, String, Value)
  case delete(Int)
  case insert([String: Value])
}

extension JSONStore {
  func records(_ entity: String? = nil) throws -> [DefaultSnapshot] {
    try snapshots(matching: Query(entity ?? schema.entities[0].name))
  }

  /// Commits edits of records counted from 0 as one change set.
  func commit(_ edits: [JSONTestEdit], entity: String? = nil) throws {
    let name = entity ?? schema.entities[0].name
    let layout = try schema.entity(named: name).layout
    let before = try records(name)
    var changes = ChangeSet()
    var updates: [Int: RecordUpdate] = [:]
    for (serial, edit) in edits.enumerated() {
      switch edit {
      case .set(let place, let attribute, let value):
        var update =
          updates[place] ?? RecordUpdate(before: before[place], after: before[place])
        guard let slot = layout.slot(of: attribute) else { throw TestError(attribute) }
        update.after.orderedValues[slot] = value
        updates[place] = update
      case .delete(let place): changes.deleted.append(before[place])
      case .insert(let values):
        changes.inserted.append(
          DefaultSnapshot(
            persistentIdentifier: IdentifierScope(store: nil, entity: name)
              .temporaryIdentifier(UInt64(serial + 1), context: 1),
            layout: layout,
            orderedValues: layout.names.map { values[$0] ?? .null }
          )
        )
      }
    }
    changes.updated = updates.keys.sorted().compactMap { updates[$0] }
    _ = try commit(changes, author: nil)
  }

  /// The schema in one line: `films(title:text, year:integer)`.
  var schemaText: String {
    schema.entities.map { entity in
      let attributes = entity.fields.map { "\($0.name):\($0.specification)" }
      return "\(entity.name)(\(attributes.joined(separator: ", ")))"
    }.joined(separator: " ")
  }
}

struct TestError: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
