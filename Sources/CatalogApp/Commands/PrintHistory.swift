import Foundation
package import OpenSwiftData

/// `history`: lists the saved transactions.
struct PrintHistory: Instruction {
  /// The record whose transactions are listed; nil for all transactions.
  let identifier: PersistentIdentifier?

  static let command = Command(
    "history",
    usage: "[ID]",
    summary: "list the saved transactions, oldest first",
    details: """
      + is a new record, ~ a changed one, - a deleted one. Without ID, a transaction with more than
      100 records is shown as one line.
      """,
    canBeStopped: true
  ) { arguments, session in
    let identifier = try arguments.next().map { try session.identifierInHistory($0.text) }
    try arguments.finish()
    return PrintHistory(identifier: identifier)
  }

  func perform(in session: Session) throws -> Outcome {
    let transactions = try session.context.transactions(touching: identifier)
    return .table(
      OutputTable(
        columns: ["token", "time", "author", "change"],
        rows: transactions.flatMap { transaction in
          session.changes(of: transaction).map { change in
            [
              .integer(transaction.token), transaction.savedAt,
              transaction.author.map { .text($0) } ?? .null, .text(change),
            ]
          }
        }
      )
    )
  }
}

extension Transaction {
  /// The time of the save, without fractions of a second.
  var savedAt: Value {
    .datetime(Date(timeIntervalSince1970: timestamp.timeIntervalSince1970.rounded(.down)))
  }
}

extension Session {
  private static let detailLimit = 100

  /// The changes of a transaction, one line for each record; only their numbers if there are many.
  package func changes(of transaction: Transaction) -> [String] {
    let changes = transaction.changes
    var lines = transaction.schemaChange.map { [$0.text(from: transaction.formerSchema)] } ?? []
    guard changes.count <= Self.detailLimit else {
      let counts = [
        ("+", changes.inserted.count), ("~", changes.updated.count), ("-", changes.deleted.count),
      ]
      lines += counts.filter { $0.1 > 0 }.map { "\($0.0) \(Self.counted($0.1))" }
      return lines
    }
    lines += changes.inserted.map { text("+", $0) }
    lines += changes.updated.map { "~ \($0.persistentIdentifier) \(Self.text(of: $0))" }
    lines += changes.deleted.map { text("-", $0) }
    return lines
  }

  private func text(_ sign: String, _ snapshot: DefaultSnapshot) -> String {
    let title = title(of: snapshot)
    return "\(sign) \(snapshot.persistentIdentifier)" + (title.isEmpty ? "" : " \(title)")
  }

  static func text(of update: RecordUpdate) -> String {
    let before = update.before.arranged(as: update.after.layout)
    return update.after.layout.names.enumerated().compactMap { slot, name in
      let (old, new) = (before.orderedValues[slot], update.after.orderedValues[slot])
      return old == new ? nil : "\(name): \(short(old)) → \(short(new))"
    }.joined(separator: ", ")
  }

  private static func short(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .text(let text): Value.quoted(text)
    default: value.text
    }
  }
}
