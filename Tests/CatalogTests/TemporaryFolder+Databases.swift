import Foundation
import SQL

@testable import SQLiteStores

extension TemporaryFolder {
  /// A database that another program made, and the connection of that program.
  @discardableResult
  func database(_ name: String, _ statements: String...) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(file(name), isReadOnly: false, canCreate: true)
    connection.setTimeout(seconds: 60)
    for statement in statements { try connection.run(SQLText(statement)) }
    return connection
  }
}
