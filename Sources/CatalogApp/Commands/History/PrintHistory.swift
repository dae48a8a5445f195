import Foundation
package import OpenSwiftData

/// `history`: lists the saved transactions.
struct PrintHistory: Instruction {
  /// What the listed changes belong to.
  enum Subject: Hashable, Sendable {
    case everything
    case entity(String)
    case record(PersistentIdentifier)
  }

  var subject = Subject.everything
  /// Where the list begins; nil for the beginning of the history.
  var since: HistoryPoint?
  /// Where the list ends; nil for the end of the history.
  var until: HistoryPoint?
  /// The maximum number of transactions; nil for no limit.
  var limit: Int?
  /// True to wait for further transactions.
  var follows = false

  static let command = Command(
    "history",
    usage: "[ENTITY|ID] [since T] [until T] [limit N] [--follow]",
    summary: "list the saved transactions, oldest first",
    details: """
      + is a new record, ~ a changed one, - a deleted one. Without ID, a transaction with more than
      100 records is shown as one line. T is a token, or a time such as 2009-05-29 or 2009-05-29T18:30:00Z
      (UTC without a zone). "since" begins after the transaction with the token, or with the first one at
      the time or later; "until" includes T, and all of a day. "limit" lists at most N transactions: the first ones after
      "since", otherwise the last ones. In json and jsonl, each change is an object with the members token,
      time, author, message, op, entity, id, before and after, and no transaction is shortened. In scripts,
      --follow prints them and waits for more, until ^C or SIGTERM.
      """
  ) { arguments, session in
    var history = PrintHistory()
    if let word = arguments.peek,
      word.isQuoted || !Self.clauseWords.contains(word.text.lowercased())
    {
      _ = arguments.next()
      if word.text.hasPrefix("--"), !word.isQuoted {
        throw CommandError(
          Suggestion.message("unknown option", word.text, among: ["--follow"]),
          code: .invalidCommand
        )
      }
      history.subject = try Self.subject(word, session)
    }
    try history.takeClauses(&arguments)
    return history
  }

  private static let clauseWords: Set<String> = ["since", "until", "limit", "--follow", "where"]

  func perform(in session: Session) throws -> Outcome {
    if follows { return try follow(in: session) }
    let transactions = try transactions(in: session)
    if transactions.isEmpty || since != nil || until != nil { noteHistoryIsBrief(session) }
    let report = session.changeReport
    if session.origin.isOnScreen, !transactions.isEmpty {
      return .lines(report.historyLines(transactions))
    }
    return .table(try report.historyTable(transactions, inJSON: session.settings.printsJSON))
  }

  /// Reads the clauses up to the end of the line.
  fileprivate mutating func takeClauses(_ arguments: inout Arguments) throws {
    var given: Set<String> = []
    while let word = arguments.peek {
      if try arguments.takeOnce("since", &given) {
        since = try arguments.requirePoint("since")
      } else if try arguments.takeOnce("until", &given) {
        until = try arguments.requirePoint("until", isEnd: true)
      } else if try arguments.takeOnce("limit", &given) {
        limit = try arguments.requireCount("limit")
      } else if try arguments.takeOnce("--follow", &given) {
        follows = true
      } else if word.isKeyword("where") {
        throw CommandError(
          "history: unexpected \"where\"; print it with --format jsonl and filter the lines, for example by author"
        )
      } else {
        throw CommandError(
          "expected since, until, limit or --follow, found \(Value.quoted(word.text))"
        )
      }
    }
    guard !follows || until == nil else {
      throw CommandError("--follow cannot be combined with \"until\"")
    }
  }
}

extension Arguments {
  /// Reads the token of a transaction, or a time.
  ///
  /// - Throws: `CommandError` for any other word.
  mutating func requirePoint(_ name: String, isEnd: Bool = false) throws -> HistoryPoint {
    let word = try require("token or time after \"\(name)\"")
    return try locating(word) {
      guard let point = HistoryPoint(word.text, isEnd: isEnd) else {
        throw CommandError(HistoryPoint.refusal(of: word.text, after: name))
      }
      return point
    }
  }
}

extension HistoryPoint {
  /// The message for a text that is not a point in the history.
  package static func refusal(of text: String, after name: String) -> String {
    "\(name): \(Value.quoted(text)) is not a token or a time; use a time such as 2009-05-29T18:30:00Z"
  }
}

// MARK: Finding transactions

extension PrintHistory {
  /// What a word after `history` names: an entity, or else a record, which may have been deleted.
  ///
  /// - Throws: `CommandError` if it is neither.
  private static func subject(_ word: CommandText.Word, _ session: Session) throws -> Subject {
    let context = session.context
    let text = try session.script.recordName(word, in: context.schema)
    if context.schema.entitiesByName[text] != nil { return .entity(text) }
    do {
      return .record(try session.identifierInHistory(text))
    } catch let error as CommandError where error.code != .ambiguousRecord {
      if try context.transactions().contains(where: { $0.concerns(text) }) { return .entity(text) }
      guard Suggestion.nearest(to: text, among: context.schema.entities.map(\.name)) != nil else {
        throw error
      }
      _ = try context.schema.entity(named: text)
      throw error
    }
  }

  /// The transactions that the command asks for, oldest first.
  ///
  /// - Throws: The error of the store, with the code `history-expired` if it no longer has them.
  func transactions(in session: Session) throws -> [Transaction] {
    var record: PersistentIdentifier?
    if case .record(let identifier) = subject { record = identifier }
    let found = try transactions(since: since, touching: record, session).compactMap(selected)
    guard let limit, limit < found.count else { return found }
    return since == nil ? found.suffix(limit) : Array(found.prefix(limit))
  }

  /// Reads the transactions from a point on, and perhaps some before a time.
  func transactions(
    since point: HistoryPoint?,
    touching record: PersistentIdentifier? = nil,
    _ session: Session
  ) throws -> [Transaction] {
    let context = session.context
    var after: Int64?
    if case .token(let token) = point { after = token }
    // The history of a record whose entity is gone ends with a transaction that does not name it.
    let isLiving = record.map { context.schema.entitiesByName[$0.entityName] != nil } ?? false
    let all =
      isLiving
      ? try context.transactions(after: after, touching: record)
      : try context.transactionsWithDroppedRecords(after: after)
    if after == nil, record == nil { try noteMissing(before: all.first, since: point, session) }
    return all
  }

  /// Reports that the history begins later than the time that was asked for, or has been discarded.
  private func noteMissing(
    before first: Transaction?,
    since point: HistoryPoint?,
    _ session: Session
  ) throws {
    guard let first else {
      let remark = "the history is empty; earlier transactions were discarded"
      // A history that is followed is read again and again.
      if !session.notes.remarks.contains(remark), try session.context.hasDiscardedHistory {
        session.notes.remarks.append(remark)
      }
      return
    }
    guard case .time(let date) = point, first.token > 1, first.timestamp.wholeSeconds > date
    else { return }
    session.notes.remarks.append(
      "the history begins with transaction \(first.token); earlier ones were discarded"
    )
  }

  /// Reports a history that does not outlive the program.
  private func noteHistoryIsBrief(_ session: Session) {
    guard session.store.isLasting, !session.store.keepsHistory else { return }
    session.notes.remarks.append(
      "\(session.store.name) keeps a history only while it is open"
        + (session.services.historyProblem.map { ", because \($0)" } ?? "")
        + "; use a log (.catlog) to keep it"
    )
  }
}

extension ModelContext {
  /// True if transactions were discarded.
  fileprivate var hasDiscardedHistory: Bool {
    get throws {
      do {
        _ = try transactions(after: 0)
        return false
      } catch let error as PersistenceError where error.code == .historyExpired {
        return true
      }
    }
  }
}

extension CurrentStore {
  /// The file of the history, if it is kept apart from the records.
  var historyPath: String? {
    context.container.stores.lazy.compactMap { ($0 as? any HistoryKeepingStore)?.historyPath }.first
  }

  /// True if the store has the history of earlier runs.
  var keepsHistory: Bool {
    context.container.stores.allSatisfy {
      ($0 as? any HistoryKeepingStore)?.keepsHistoryWhenClosed ?? false
    }
  }
}

extension PrintHistory {
  /// The part of a transaction that the command asks for; nil if there is none.
  func selected(_ transaction: Transaction) -> Transaction? {
    let (token, time) = (transaction.token, transaction.timestamp)
    guard since?.precedes(token: token, timestamp: time) ?? true,
      until?.includes(token: token, timestamp: time) ?? true
    else { return nil }
    let name: String
    switch subject {
    case .everything: return transaction
    case .record(let identifier): return transaction.restricted(to: identifier)
    case .entity(let entity): name = entity
    }
    var part = transaction
    part.changes = part.changes.restricted(to: [name])
    part.restrictSchemaChanges(to: name)
    return part.changes.isEmpty && !part.changesSchema ? nil : part
  }
}

extension Transaction {
  /// Leaves out the changes of the schema that concern other entities.
  fileprivate mutating func restrictSchemaChanges(to name: String) {
    switch schemaChange {
    case .replaceSchema(let replacement) where steps.isEmpty:
      let former = formerSchema?.entitiesByName[name]
      if former?.fields == replacement.schema.entitiesByName[name]?.fields { schemaChange = nil }
    case .replaceSchema:
      steps.removeAll { $0.entityName != name }
      if steps.isEmpty { schemaChange = nil }
    case let change?: if change.entityName != name { schemaChange = nil }
    case nil: steps.removeAll { $0.entityName != name }
    }
  }
}
