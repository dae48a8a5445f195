import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import PostgresStores

/// The server of `make test-servers`, which names it in the environment.
enum TestServer {
  /// The URL of its database; nil if no server is to be tested.
  static let url = ProcessInfo.processInfo.environment["CATALOG_TEST_POSTGRES"]
}

/// The tests that need a server.
@Suite(.enabled(if: TestServer.url != nil, "make test-servers runs them"))
struct PostgresServerTests {}

/// A schema of a test, which is removed at its end.
final class TestSchema {
  let name = "t" + UUID().uuidString.prefix(8).lowercased()
  let other: PostgresConnection

  init(_ statements: String...) throws {
    other = try PostgresConnection(try #require(TestServer.url))
    try run("CREATE SCHEMA \(name); SET search_path = \(name)")
    for statement in statements { try run(statement) }
  }

  deinit { _ = try? other.simple("DROP SCHEMA \(name) CASCADE") }

  /// Runs statements as another program.
  func run(_ statements: String) throws { _ = try other.simple(statements) }

  /// Opens the schema, or a table of it.
  func open(_ table: String? = nil) throws -> PostgresStore {
    let part = table.map { "\(name).\($0)" } ?? name
    return try PostgresStore(PostgresConfiguration("\(try #require(TestServer.url))#\(part)"))
  }
}

extension PostgresStore {
  /// All records of an entity, in its order.
  func all(_ entityName: String) throws -> [DefaultSnapshot] {
    try snapshots(matching: Query(entityName))
  }
}
