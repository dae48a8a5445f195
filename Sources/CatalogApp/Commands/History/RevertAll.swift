import Foundation
import OpenSwiftData

/// `revert all`: restores all records to an earlier state.
struct RevertAll: Instruction {
  let point: HistoryPoint

  static let command = Revert.command

  func perform(in session: Session) throws -> Outcome {
    guard !session.context.hasChanges else {
      throw CommandError(
        "revert all: unsaved changes; run \"save\" or \"rollback\" first",
        code: .unsavedChanges
      )
    }
    let undone = try transactions(afterState: point, session)
    let result = try session.context.revertAll(
      undoing: undone,
      converting: ValueConversion(today: session.services.clock.today)
    )
    if undone.contains(where: \.changesSchema) {
      session.notes.remarks.append("the schema stays as it is; only records were reverted")
    }
    if result.lostLinks > 0 {
      session.notes.remarks.append(
        "\(counted(result.lostLinks, "link")) left empty: the records no longer exist"
      )
    }
    if result.skipped > 0 {
      let skipped = "\(counted(result.skipped)) skipped: the entities no longer exist"
      guard result.changesRecords else {
        throw CommandError("revert all: nothing to revert; \(skipped)", code: .unsupported)
      }
      session.notes.remarks.append(skipped)
    }
    session.notes.stepName = "revert all to \(point.text)"
    let (inserted, updated, deleted) = (result.inserted, result.updated, result.deleted)
    return .facts(
      Facts(
        ["reverted: \(inserted) inserted, \(updated) updated, \(deleted) deleted"],
        [
          ("inserted", String(inserted)), ("updated", String(updated)),
          ("deleted", String(deleted)),
        ]
      )
    )
  }

  /// The transactions that were made after a point in the history, oldest first.
  ///
  /// - Throws: `CommandError` for an unknown token, or for a time before the history; the error of the store.
  private func transactions(afterState point: HistoryPoint, _ session: Session) throws
    -> [Transaction]
  {
    switch point {
    case .token(let token):
      guard try token == 0 || session.context.hasTransaction(token) else {
        throw CommandError("unknown transaction \"\(token)\"; run \"history\" to list them")
      }
      let later = try session.context.transactionsWithDroppedRecords(after: token)
      guard !later.isEmpty || session.store.keepsHistory else {
        throw CommandError(
          "revert all: nothing to revert; \(session.store.name) keeps a history only while it is open",
          code: .unsupported
        )
      }
      return later
    case .time:
      guard session.store.keepsHistory else {
        throw CommandError(
          "revert all: \(session.store.name) keeps a history only while it is open; give a token",
          code: .unsupported
        )
      }
      let known = try session.context.transactions()
      let last = known.last { point.includes(token: $0.token, timestamp: $0.timestamp) }
      return try session.context.transactionsWithDroppedRecords(after: last?.token ?? 0)
    }
  }
}
