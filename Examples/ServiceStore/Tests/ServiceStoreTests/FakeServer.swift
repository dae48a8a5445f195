import Foundation
import OpenSwiftData
import Synchronization

@testable import ServiceStore

/// A server in memory: paths and JSON in, a status and JSON out, as over HTTP.
final class FakeServer: Sendable {
  fileprivate struct State {
    var records: StoredRecords
    var revisions: [PersistentIdentifier: Int] = [:]
    var changes: [SavedChange] = []
    var requests: [String] = []
  }

  private let state: Mutex<State>
  private let url = URL(filePath: "/\(UUID())")

  /// Starts a server without records.
  init(schema: Schema, storeIdentifier: String = "service") throws {
    state = try Mutex(
      State(records: StoredRecords(schema: schema, storeIdentifier: storeIdentifier))
    )
  }

  /// Opens a store over this server.
  func configuration(_ schema: Schema? = nil) -> ServiceConfiguration {
    ServiceConfiguration(url, schema: schema) { self.post($0, $1) }
  }

  /// The paths that were requested.
  var requests: [String] { state.withLock(\.requests) }

  /// Answers a request.
  func post(_ path: String, _ body: Data) -> (status: Int, body: Data) {
    state.withLock { state in
      state.requests.append(path)
      do {
        return try state.answer(path, body)
      } catch {
        let error = error as? PersistenceError
        let status = error?.code == .conflict ? 409 : 400
        let failure = Failure(
          code: error?.code.description ?? "invalidRequest",
          message: error?.message ?? "invalid request"
        )
        // A failure has two texts, which always have a JSON form.
        return (status, (try? JSONEncoder().encode(failure)) ?? Data())
      }
    }
  }
}

extension FakeServer.State {
  mutating func answer(_ path: String, _ body: Data) throws -> (Int, Data) {
    let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
    switch path {
    case "/query":
      return (200, try encoder.encode(rows(for: decoder.decode(Question.self, from: body))))
    case "/lookup":
      let wanted = try decoder.decode([PersistentIdentifier].self, from: body)
      return (200, try encoder.encode(rows(records.snapshots(for: wanted).map(\.value))))
    case "/save":
      try save(decoder.decode(SaveRequest.self, from: body))
      return (204, Data())
    default:
      let last = try decoder.decode(Int.self, from: body)
      return (200, try encoder.encode(changes.filter { $0.number > last }))
    }
  }

  private func rows(for question: Question) throws -> [Row] {
    let entity = try records.schema.entity(named: question.entity)
    let query = Query(
      entity.name,
      filter: try FilterParser.parse(question.condition, for: entity),
      sort: question.sort.map { name in
        name.hasPrefix("-") ? SortKey(String(name.dropFirst()), isDescending: true) : SortKey(name)
      },
      limit: question.limit,
      offset: question.offset
    )
    return rows(try records.snapshots(matching: query))
  }

  private func rows(_ records: [DefaultSnapshot]) -> [Row] {
    records.map { Row(record: $0, revision: revisions[$0.persistentIdentifier] ?? 0) }
  }

  private mutating func save(_ request: SaveRequest) throws {
    for row in request.updated + request.deleted
    where revisions[row.record.persistentIdentifier] != row.revision {
      throw PersistenceError(.conflict, "\(row.record.persistentIdentifier) was changed")
    }
    let schema = records.schema
    let sent = try schema.arranged(request.inserted + request.updated.map(\.record))
    let stored = try records.snapshots(for: sent.map(\.persistentIdentifier))
    var changes = ChangeSet()
    for record in sent {
      if let before = stored[record.persistentIdentifier] {
        changes.updated.append(RecordUpdate(before: before, after: record))
      } else {
        changes.inserted.append(record)
      }
    }
    changes.deleted = try schema.arranged(request.deleted.map(\.record))
    _ = try records.commit(changes)
    for record in sent { revisions[record.persistentIdentifier, default: 0] += 1 }
    for row in request.deleted { revisions[row.record.persistentIdentifier] = nil }
    self.changes.append(
      SavedChange(
        number: self.changes.count + 1,
        client: request.client,
        inserted: changes.inserted.map(\.persistentIdentifier),
        updated: changes.updated.map(\.persistentIdentifier),
        deleted: changes.deleted.map(\.persistentIdentifier)
      )
    )
  }
}
