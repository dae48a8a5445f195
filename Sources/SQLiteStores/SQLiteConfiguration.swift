public import Foundation
public import OpenSwiftData
import Stores

/// The configuration of a store in a SQLite database.
///
/// ```swift
/// let configuration = SQLiteConfiguration(url: folder.appending(path: "films.db"))
/// let container = try ModelContainer(for: Film.self, configurations: configuration)
/// ```
///
/// A file that does not exist is created by the first save, with a table for each entity. A database of another program
/// is shown as it is: each table is an entity, and only values that were changed are written.
public struct SQLiteConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  public typealias Store = SQLiteStore

  /// The name of the store within its container.
  public let name: String
  /// The entities of a new database.
  public var schema: Schema?
  /// The file.
  public let url: URL
  /// False to refuse saving.
  public let allowsSave: Bool
  /// How long a save waits for other programs.
  public var lockTimeoutSeconds: Double
  /// The history that is kept in memory for a database of another program.
  public var historyLimit = HistoryLimit()
  /// The path as it is shown.
  private(set) var path: String

  /// Creates a configuration.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    lockTimeoutSeconds: Double = 5
  ) {
    self.init(
      path: url.path,
      name: name,
      schema: schema,
      isReadOnly: !allowsSave,
      lockTimeoutSeconds: lockTimeoutSeconds
    )
  }

  /// Creates a configuration for a path as the user typed it.
  package init(
    path: String,
    name: String? = nil,
    schema: Schema? = nil,
    isReadOnly: Bool = false,
    lockTimeoutSeconds: Double = 5
  ) {
    self.path = path
    url = URL(fileURLWithPath: path)
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    allowsSave = !isReadOnly
    self.lockTimeoutSeconds = lockTimeoutSeconds
  }

  /// Names the target of a link instead of the link, because journals and logs are next to the target.
  ///
  /// - Throws: `PersistenceError` if the path of the target cannot be found.
  mutating func followLink() throws {
    let fileSystem = LocalFileSystem()
    do {
      guard try fileSystem.statusIfPresent(of: path, in: nil)?.kind == .link else { return }
      path = try fileSystem.resolve(path)
    } catch {
      throw error.persistenceError
    }
  }
}
