import Foundation
public import OpenSwiftData

/// The configuration of a store in a PostgreSQL database.
///
/// ```swift
/// let configuration = PostgresConfiguration("postgres://ann@db.example.com/films")
/// let container = try ModelContainer(configurations: configuration)
/// ```
///
/// Each table and each view is an entity. Of a table with a key, values are changed, and rows are added and deleted.
///
/// The URL is that of the library libpq, which also reads `PGPASSWORD` and `~/.pgpass`. After `#` it may name a schema, a
/// table, or both: `#SCHEMA`, `#TABLE`, `#SCHEMA.TABLE`. Without a schema, the tables are those of the search path.
public struct PostgresConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  public typealias Store = PostgresStore

  /// The name of the store within its container.
  public let name: String
  /// Unused: the tables decide.
  public var schema: Schema?
  /// False to refuse saving.
  public let allowsSave: Bool
  /// How long a save waits for rows that other programs have locked.
  public var lockTimeoutSeconds: Double
  /// The history that is kept in memory.
  public var historyLimit = HistoryLimit()
  /// False in a test that shows what is wrong without it.
  var looksUpUnderLock = true
  /// The URL up to `#`.
  let connectionText: String
  /// What follows `#`; nil for nothing.
  let part: String?

  /// Creates a configuration for a URL such as `postgres://ann@host/database#schema`.
  public init(
    _ url: String,
    name: String? = nil,
    schema: Schema? = nil,
    allowsSave: Bool = true,
    lockTimeoutSeconds: Double = 5
  ) {
    let mark = url.firstIndex(of: "#")
    connectionText = String(url[..<(mark ?? url.endIndex)])
    let part = mark.map { String(url[url.index(after: $0)...]) }
    self.part = part.flatMap { $0.isEmpty ? nil : $0.removingPercentEncoding ?? $0 }
    (self.allowsSave, self.lockTimeoutSeconds) = (allowsSave, lockTimeoutSeconds)
    self.name = name ?? "postgres"
    self.schema = schema
  }

  /// The URL without a password and without parameters, for messages.
  var shown: String {
    let text = connectionText.prefix { $0 != "?" }
    guard let start = text.range(of: "://")?.upperBound,
      let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
    else { return String(text) + suffix }
    let user = text[start..<at].prefix { $0 != ":" }
    return text[..<start] + user + text[at...] + suffix
  }

  private var suffix: String { part.map { "#" + $0 } ?? "" }

  /// Checks that the URL is one.
  ///
  /// - Throws: `PersistenceError` with code `.invalidConfiguration`.
  public func validate() throws {
    if let service = connectionText.range(of: "service="), !connectionText.contains("://") {
      throw PersistenceError(
        .invalidConfiguration,
        "\(connectionText): write postgres://?\(connectionText[service.lowerBound...])"
      )
    }
    guard ["postgres://", "postgresql://"].contains(where: connectionText.hasPrefix) else {
      throw PersistenceError(
        .invalidConfiguration,
        "\(shown): not a URL of PostgreSQL; expected postgres://USER@HOST/DATABASE"
      )
    }
  }
}
