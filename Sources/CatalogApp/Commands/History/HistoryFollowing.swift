import Foundation
import OpenSwiftData

extension PrintHistory {
  /// How long to wait before looking for further transactions.
  private static let pauseSeconds = 0.1

  /// Prints the transactions that the command asks for, and those that follow, in order and without gaps.
  ///
  /// Ends after as many transactions as the limit says, or when the command is stopped, which is its usual end.
  ///
  /// - Throws: The error of the store, with the code `history-expired` if a transaction was
  ///   discarded before it was read.
  func follow(in session: Session) throws -> Outcome {
    try requireFollowing(session)
    if session.settings.answersPrograms {
      var found: [Transaction] = []
      try follow(session) { found += $0 }
      return .table(try session.changeReport.historyTable(found, inJSON: true))
    }
    do {
      try printFollowing(session)
    } catch is Interruption.Stopped {
      // The changes that were read have been printed.
    }
    return .done("")
  }

  private func printFollowing(_ session: Session) throws {
    try session.services.writeFile("-") { write in
      try withoutActuallyEscaping(write) { write in
        var printer = FollowedHistory(session: session, write: write)
        try follow(session) { try printer.print($0) }
      }
    }
  }

  private func follow(_ session: Session, _ take: ([Transaction]) throws -> Void) throws {
    var following = self
    var left = limit ?? .max
    while left > 0 {
      try session.context.refresh()
      let new = try transactions(since: following.since, session)
      let found = new.compactMap { following.selected($0) }.prefix(left)
      try take(Array(found))
      left -= found.count
      if let last = new.last { following.since = .token(last.token) }
      if left > 0 { try pauseUnlessStopped(session) }
    }
  }

  /// Checks that the history can be followed here.
  ///
  /// - Throws: `CommandError` with the reason if it cannot.
  private func requireFollowing(_ session: Session) throws {
    guard session.store.keepsHistory, session.store.historyPath == nil else {
      throw CommandError(
        "history --follow: \(session.store.name) cannot be followed; use a log (.catlog) or a database (.db)",
        code: .unsupported
      )
    }
    guard !session.origin.isOnScreen else {
      throw CommandError("history --follow works only in scripts")
    }
    guard !session.settings.answersPrograms || limit != nil else {
      throw CommandError(
        "history --follow has no end and cannot be answered; add \"limit N\", or use --format jsonl instead of --answers",
        code: .unsupported
      )
    }
  }

  private func pauseUnlessStopped(_ session: Session) throws {
    try Interruption.check()
    try session.services.checkOutput()
    Thread.sleep(forTimeInterval: Self.pauseSeconds)
    try Interruption.check()
  }
}

/// Prints transactions as they arrive: a heading first, then rows.
///
/// A table and an array have an end: tab-separated values and JSON Lines take their places.
private struct FollowedHistory {
  private let session: Session
  private let isForPrograms: Bool
  private var writer: TableWriter?
  private let write: OutputSink
  private let isTerminal: Bool

  init(session: Session, write: @escaping OutputSink) {
    self.session = session
    self.write = write
    isForPrograms = session.settings.printsJSON
    isTerminal = session.services.outputWidth != nil
  }

  /// Prints the changes, and passes them on to the reader.
  ///
  /// - Throws: The errors of writing.
  mutating func print(_ transactions: [Transaction]) throws {
    guard !transactions.isEmpty else { return }
    let table = try session.changeReport.historyTable(transactions, inJSON: isForPrograms)
    var writer = writer ?? makeWriter(table.columns)
    for row in table.rows { try writer.add(row) }
    try writer.finish()
    self.writer = writer
    try session.services.flushOutput()
  }

  private func makeWriter(_ columns: [String]) -> TableWriter {
    let said = session.settings.format
    let format: OutputFormat = isForPrograms ? .jsonl : said.delimiter == nil ? .tsv : said
    return TableWriter(
      format: format,
      isTerminal: isTerminal,
      width: nil,
      columns: columns,
      numeric: [],
      write: write
    )
  }
}
