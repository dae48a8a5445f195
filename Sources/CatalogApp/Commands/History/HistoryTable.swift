import Foundation
import OpenSwiftData

extension Transaction {
  /// The time of the save, without fractions of a second.
  var savedAt: Value { .datetime(timestamp.wholeSeconds) }

  /// True if nothing of what the transaction changed was kept.
  fileprivate var hasUnknownChanges: Bool { changes.isEmpty && isIncomplete && !changesSchema }

  /// The changes of the schema in the order in which they were made, as the commands that make them.
  fileprivate var schemaWords: [(entity: Value, words: String)] {
    guard steps.isEmpty else { return steps.map { (.text($0.entityName), $0.command) } }
    guard let schemaChange else { return [] }
    if case .replaceSchema = schemaChange {
      return schemaChange.words(from: formerSchema).map { (.null, $0) }
    }
    return [(.text(schemaChange.entityName), schemaChange.text(from: formerSchema))]
  }
}

extension ChangeReport {
  private static let detailLimit = 100

  /// Transactions as rows: each change with all its values for programs, in words for people.
  ///
  /// - Throws: `Interruption.Stopped`.
  func historyTable(_ transactions: [Transaction], inJSON: Bool) throws -> OutputTable {
    try inJSON
      ? OutputTable(
        columns: [
          "token", "time", "author", "message", "op", "entity", "id", "before", "after",
        ],
        rows: transactions.flatMap(rowsForPrograms)
      )
      : OutputTable(
        columns: ["token", "time", "author", "change"],
        rows: transactions.flatMap { transaction in
          changes(of: transaction).map { change in
            [
              .integer(transaction.token), transaction.savedAt,
              transaction.author.map { .text($0) } ?? .null, .text(change),
            ]
          }
        }
      )
  }

  /// Transactions for the screen, which wraps long lines: a heading each, with the changes below it.
  func historyLines(_ transactions: [Transaction]) -> [String] {
    transactions.flatMap { transaction in
      let by = transaction.author.map { " by \($0)" } ?? ""
      return ["\(transaction.token)  \(clock.text(of: transaction.timestamp))\(by)"]
        + changes(of: transaction).map { "    " + $0 }
    }
  }

  /// A row for each change of a transaction, those of the schema first.
  private func rowsForPrograms(_ transaction: Transaction) throws -> [[Value]] {
    let head: [Value] = [
      .integer(transaction.token), transaction.savedAt,
      transaction.author.map { .text($0) } ?? .null,
      transaction.message.map { .text($0) } ?? .null,
    ]
    if transaction.hasUnknownChanges {
      return [head + [.text("unknown"), .null, .null, .null, .null]]
    }
    let steps: [[Value]] = transaction.schemaWords.map { step in
      [.text("schema"), step.entity, .null, .null, .text(step.words)]
    }
    let changes = transaction.changesWithFormerValues
    var rows = steps.map { head + $0 }
    let counter = WorkCounter(of: changes.count)
    func add(_ row: [Value]) throws {
      rows.append(head + row)
      try counter.add()
    }
    for snapshot in changes.inserted {
      try add(row("insert", snapshot, .null, Self.object(snapshot)))
    }
    for update in changes.updated {
      try add(row(of: update, isExternal: transaction.isExternal))
    }
    for snapshot in changes.deleted {
      let before = snapshot.isKnown ? Self.object(snapshot) : .null
      try add(row("delete", snapshot, before, .null))
    }
    return rows
  }

  /// A changed record; of a change from outside the earlier values may not be known.
  private func row(of update: RecordUpdate, isExternal: Bool) -> [Value] {
    guard isExternal, update.before == update.after else { return row(of: update) }
    return row("update", update.after, .null, Self.object(update.after))
  }

  /// The changes of a transaction, one line for each record; only their numbers if there are many.
  private func changes(of transaction: Transaction) -> [String] {
    let changes = transaction.changesWithFormerValues
    var lines = transaction.message.map { ["message: \($0)"] } ?? []
    if transaction.hasUnknownChanges {
      return lines + [
        transaction.isExternal
          ? "changed by another program" : "changes not kept: over the size limit"
      ]
    }
    let converted = ConvertedValues(by: transaction.steps, today: clock.today)
    let steps =
      converted.isEmpty
      ? transaction.schemaWords.map(\.words) : converted.words(in: changes, others: \.command)
    if !steps.isEmpty { lines.append(steps.joined(separator: ", ")) }
    let updates = changes.updated.filter {
      converted.isEmpty || !Self.text(of: $0, besides: converted).isEmpty
    }
    guard changes.inserted.count + updates.count + changes.deleted.count <= Self.detailLimit else {
      let counts = [
        ("+", changes.inserted.count), ("~", updates.count), ("-", changes.deleted.count),
      ]
      lines += counts.filter { $0.1 > 0 }.map { "\($0.0) \(counted($0.1))" }
      return lines
    }
    lines += changes.inserted.map { text("+", $0) }
    lines += updates.map {
      "~ \($0.persistentIdentifier) \(Self.text(of: $0, besides: converted))"
    }
    lines += changes.deleted.map { text("-", $0) }
    return lines
  }

  private func text(_ sign: String, _ snapshot: DefaultSnapshot) -> String {
    let title = schema.title(of: snapshot)
    return "\(sign) \(snapshot.persistentIdentifier)" + (title.isEmpty ? "" : " \(title)")
  }

  /// A changed record in words; empty if only conversions of fields have changed it.
  static func text(of update: RecordUpdate, besides converted: ConvertedValues? = nil) -> String {
    let before = update.before.arranged(as: update.after.layout)
    return update.after.layout.names.enumerated().flatMap { slot, name -> [ValueChange] in
      let (old, new) = (before.orderedValues[slot], update.after.orderedValues[slot])
      guard old != new, converted?.conversion(slot: slot, of: update) == nil else { return [] }
      return ValueChange.all(of: name, from: old, to: new)
    }.map { $0.text(short) }.joined(separator: ", ")
  }

  private static func short(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .text(let text): Value.quoted(text)
    default: value.text
    }
  }
}

extension DefaultSnapshot {
  /// False for a record that another program deleted before its values were read.
  fileprivate var isKnown: Bool { !layout.names.isEmpty }
}
