import Foundation
import OpenSwiftData
import SQL

/// Finds out whether a save was made whose connection was lost when the end of its transaction was asked for.
///
/// COMMIT may still be on its way, so what the rows are now tells nothing as long as the transaction can end. It holds a
/// lock until then: who gets this lock knows that it has ended. A transaction that waits for ever, because its connection
/// hangs, is ended by force.
struct PostgresOutcome {
  private let save: PostgresSave
  private let configuration: PostgresConfiguration

  /// How long to try.
  private static let seconds = 15.0
  /// How long to wait for the lock before the transaction is ended by force.
  private static let lockMilliseconds = 1000
  private static let pauseSeconds = 0.2

  init(_ save: PostgresSave, _ configuration: PostgresConfiguration) {
    (self.save, self.configuration) = (save, configuration)
  }

  private enum Answer {
    case saved, notSaved, mixed
    /// The transaction may still end, or the server cannot be asked.
    case open
  }

  /// True if the save was made, false if it was not and never will be; nil if that is not known.
  ///
  /// Takes 15 seconds at most, and cannot be stopped.
  func isSaved() -> Bool? {
    Interruption.ignored {
      let end = ContinuousClock.now + .seconds(Self.seconds)
      while true {
        // A server that cannot be asked now may be there soon.
        switch (try? look()) ?? .open {
        case .saved: return true
        case .notSaved: return false
        case .mixed: return nil
        case .open: break
        }
        if ContinuousClock.now > end { return nil }
        Thread.sleep(forTimeInterval: Self.pauseSeconds)
      }
    }
  }

  private func look() throws -> Answer {
    let connection = try PostgresConnection(configuration.connectionText)
    var texts = [
      "BEGIN ISOLATION LEVEL READ COMMITTED", "SET LOCAL lock_timeout = \(Self.lockMilliseconds)",
      "SELECT pg_catalog.pg_is_in_recovery()",
    ]
    if configuration.looksUpUnderLock { texts.append(save.mark.lockStatement) }
    let begun = try connection.answers(texts.joined(separator: "; "))
    if let failure = begun.last?.failure {
      connection.rollBack()
      // The transaction still runs.
      if failure.state == "55P03" { _ = try connection.simple(save.mark.endingStatement) }
      return .open
    }
    // A standby has locks of its own, and not yet all that was committed.
    guard let state = begun.first(where: \.hasRows), !state.isTrue(0, 0) else { return .open }
    return try compare(connection)
  }

  /// Compares the rows with what the save wrote, in a transaction that waits for standbys as that of the save does.
  private func compare(_ connection: PostgresConnection) throws -> Answer {
    let changes = save.saved
    let rows = LockedRows(Set(changes.allIdentifiers).sorted(), save.tables)
    let answers = try connection.answers(
      (rows.statements(name: "catalog_looked", isLocking: true) + [
        "SET LOCAL statement_timeout = 0"
      ])
      .joined(separator: "; ")
    )
    if let failure = answers.last?.failure { throw failure }
    var results = answers.filter(\.hasRows)[...]
    let found: [PersistentIdentifier: DefaultSnapshot]
    do {
      found = try rows.records(&results)
    } catch {
      // The rows have other types or values than the save can have left.
      return .mixed
    }
    try connection.commit()
    let changesNothing =
      changes.inserted.isEmpty && changes.deleted.isEmpty
      && changes.updated.allSatisfy { $0.before == $0.after }
    if changesNothing { return .saved }
    return changes.isSaved(in: found).map { $0 ? .saved : .notSaved } ?? .mixed
  }
}
