import Foundation
import OpenSwiftData
import Synchronization

/// Opens a ``ServiceStore``.
public struct ServiceConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  public typealias Store = ServiceStore

  /// Sends a body to a path of the server, and returns the status and the body of the answer.
  public typealias Transport = @Sendable (String, Data) throws -> (status: Int, body: Data)

  /// The name of the store.
  public var name = "service"
  /// The entities of the store.
  public var schema: Schema?
  /// The address of the server.
  public let url: URL
  let transport: Transport

  /// Names a server.
  public init(_ url: URL, schema: Schema? = nil, transport: @escaping Transport) {
    (self.url, self.schema, self.transport) = (url, schema, transport)
  }

  /// True for the same server.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.url == rhs.url }

  /// Hashes the address.
  public func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

/// The records of a server, which answers queries as far as it can.
public final class ServiceStore: QueryableStore, ChangeFeedingStore, Sendable {
  /// The configuration that the store was opened with.
  public let configuration: ServiceConfiguration
  /// Reports the changes of other clients.
  public let changeFeed = StoreChangeFeed()
  private let client = UUID()
  private let lastChange = Mutex(0)

  /// Connects to the server.
  public init(
    _ configuration: ServiceConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    try lastChange.withLock { $0 = try changes(after: 0).last?.number ?? 0 }
  }

  /// Asks the server for what it can find, and does the rest here.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let entity = try schema.entity(named: query.entityName)
    try query.validate(for: entity)
    let hasKnownOrder = !query.sort.contains(where: \.nullsFirst)
    let (asked, rest) = query.divided(supportsOrder: hasKnownOrder, where: Self.supports)
    let question = Question(
      entity: entity.name,
      condition: asked.filter.description,
      sort: asked.sort.map { ($0.isDescending ? "-" : "") + $0.attribute },
      limit: asked.limit,
      offset: asked.offset
    )
    let rows: [Row] = try post("/query", question)
    return try rest.run(over: schema.arranged(rows.map(\.record)), of: entity)
  }

  /// True for conditions that the server knows.
  private static func supports(_ filter: Filter) -> Bool {
    switch filter {
    case .and(let parts), .or(let parts): parts.allSatisfy(supports)
    case .compare(_, _, .integer), .compare(_, .equal, .text), .isNull, .constant: true
    default: false
    }
  }

  /// Asks for records by their identifiers, in one request.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let found = try rows(identifiers).map(\.record)
    return try schema.lookup(identifiers, among: found, attributes: attributes)
  }

  private func rows(_ identifiers: [PersistentIdentifier]) throws -> [Row] {
    let rows: [Row] = try post("/lookup", identifiers)
    return try rows.compactMap { row in
      try schema.arranged([row.record]).first.map { Row(record: $0, revision: row.revision) }
    }
  }

  /// Reads the records of the save, checks the changes against them, and sends those that apply.
  ///
  /// The server rejects the save if a revision has changed since. Whether that is a conflict, the next attempt finds out.
  public func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    if changes.isEmpty { return CommitResult() }
    let (changes, identifiers) = changes.assigningIdentifiers(for: identifier)
    let touched = changes.inserted + changes.updated.map(\.after) + changes.deleted
    for attempt in 1... {
      let rows = try rows(touched.map(\.persistentIdentifier))
      var stored: [PersistentIdentifier: Row] = [:]
      for row in rows { stored[row.record.persistentIdentifier] = row }
      let current = try changes.rebased(onto: stored.mapValues(\.record))
      for record in current.inserted + current.updated.map(\.after) { try schema.validate(record) }
      func row(_ record: DefaultSnapshot) -> Row {
        Row(record: record, revision: stored[record.persistentIdentifier]?.revision ?? 0)
      }
      let request = SaveRequest(
        client: client,
        inserted: current.inserted,
        updated: current.updated.map { row($0.after) },
        deleted: current.deleted.map(row)
      )
      do {
        try send("/save", request)
        break
      } catch let error as PersistenceError where error.code == .conflict && attempt < 5 {}
    }
    return CommitResult(remappedIdentifiers: identifiers)
  }

  /// Asks what other clients have saved, and reports it.
  public func refresh() throws {
    let news = try lastChange.withLock { last in
      let news = try changes(after: last)
      last = news.last?.number ?? last
      return news
    }
    for change in news where change.client != client {
      changeFeed.send(
        StoreChange(inserted: change.inserted, updated: change.updated, deleted: change.deleted)
      )
    }
  }

  private func changes(after number: Int) throws -> [SavedChange] { try post("/changes", number) }

  private func post<Answer: Decodable>(_ path: String, _ body: some Encodable) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: send(path, body))
  }

  @discardableResult
  private func send(_ path: String, _ body: some Encodable) throws -> Data {
    let response = try configuration.transport(path, JSONEncoder().encode(body))
    guard response.status >= 400 else { return response.body }
    let failure = try JSONDecoder().decode(Failure.self, from: response.body)
    throw PersistenceError(PersistenceError.Code(failure.code), failure.message)
  }
}
