import Foundation
import OpenSwiftData
import SQL

/// The end of a transaction failed, and the connection does not tell whether it was written.
struct UncertainCommit: Error {
  let failure: SQLiteFailure
}

/// Finding out what became of a save whose end failed, as after a write error of the disk.
extension SQLiteSession {
  /// What is in the database.
  private enum Outcome {
    case saved, notSaved, unknown
  }

  /// Runs a transaction; if its end fails, looks whether it was saved.
  ///
  /// A rehearsal is undone instead.
  ///
  /// - Parameters:
  ///   - id: The identifier of the transaction in the history.
  ///   - body: Writes, and returns the changes as they are stored then.
  /// - Returns: These changes.
  /// - Throws: `PersistenceError`, with code `.outcomeUnknown` if nobody can tell; what the body throws.
  func saving(as id: UUID, _ body: () throws -> ChangeSet) throws -> ChangeSet {
    if isRehearsal { return try connection.rehearsal(body) }
    var written = ChangeSet()
    let formerNumbers = usedNumbers
    do {
      try connection.transaction {
        written = try body()
        // A long save gives another program time to put a file of its own in place of this one.
        try checkFile(isSaving: true)
        SaveWitness.note(trace(of: id, written))
      }
    } catch let doubt as UncertainCommit {
      switch outcome(of: id, written) {
      case .saved: break
      case .notSaved: throw doubt.failure
      case .unknown:
        isInDoubt = true
        throw doubtError(doubt.failure)
      }
    } catch {
      // The rows that got them were undone, perhaps for another try.
      usedNumbers = formerNumbers
      throw error
    }
    if let file, FileIdentity(path) != file {
      isInDoubt = true
      throw doubtError()
    }
    return written
  }

  /// The error of a save that may or may not be in the database.
  func doubtError(_ cause: (any Error)? = nil) -> PersistenceError {
    PersistenceError(
      .outcomeUnknown,
      "\(path): it is not known whether the last save was written; reopen the database",
      cause: cause
    )
  }

  /// Looks with another connection, because that of the save may know only what it meant to write.
  private func outcome(of id: UUID, _ changes: ChangeSet) -> Outcome {
    let former = connection
    defer { connection = former }
    do {
      guard file == nil || FileIdentity(path) == file else { return .unknown }
      connection = try SQLiteConnection(path, isReadOnly: false)
      connection.setTimeout(seconds: 1)
      return isOwn ? try outcomeInHistory(of: id) : try outcomeInRows(changes)
    } catch {
      return .unknown
    }
  }

  private func outcomeInHistory(of id: UUID) throws -> Outcome {
    let count = try connection.number(
      SQLText(
        "SELECT count(*) FROM catalog_history WHERE token > ? AND id = ?",
        [.integer(lastToken), .text(id.uuidString.lowercased())]
      )
    )
    return count > 0 ? .saved : .notSaved
  }

  /// Compares the rows with those of the save and those before it.
  private func outcomeInRows(_ changes: ChangeSet) throws -> Outcome {
    let identifiers =
      (changes.inserted + changes.updated.map(\.after) + changes.deleted)
      .map(\.persistentIdentifier)
    let found = try snapshots(for: identifiers, attributes: nil)
    func holds(_ present: [DefaultSnapshot], without absent: [DefaultSnapshot]) -> Bool {
      present.allSatisfy { found[$0.persistentIdentifier] == $0 }
        && absent.allSatisfy { found[$0.persistentIdentifier] == nil }
    }
    let isSaved = holds(
      changes.inserted + changes.updated.map(\.after),
      without: changes.deleted
    )
    let isAsBefore = holds(
      changes.deleted + changes.updated.map(\.before),
      without: changes.inserted
    )
    if isSaved == isAsBefore { return .unknown }
    return isSaved ? .saved : .notSaved
  }
}
