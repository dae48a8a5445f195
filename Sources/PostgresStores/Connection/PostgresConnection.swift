import CPostgreSQL
import Foundation
import OpenSwiftData
import SQL

/// A connection to a server, used by one thread at a time.
///
/// No call blocks: each waits 20 ms at most before it asks whether the work was stopped. A statement that was stopped is
/// canceled on the server. Nothing is prepared and no setting outlives a transaction, so a pooler may be in between.
final class PostgresConnection {
  private let library: CPQLibrary
  private let connection: OpaquePointer
  /// False after the connection was lost, or a statement could not be canceled.
  private(set) var isUsable = true
  /// A request to cancel that may still be on its way; it must not meet the next statement.
  private var canceling: CancelRequest?

  /// How long a server may take to accept a connection.
  private static let connectSeconds = 10.0
  /// How long a canceled statement may go on.
  private static let cancelSeconds = 5.0
  /// The time after which a statement that still runs is canceled again.
  private static let cancelAgain = Duration.milliseconds(200)

  /// Connects.
  ///
  /// - Throws: `PostgresFailure`; `PersistenceError` with code `.unsupported` without the library; `Interruption.Stopped`.
  init(_ url: String) throws {
    var missing: UnsafePointer<CChar>?
    guard let library = catalogPostgreSQL(&missing)?.pointee else {
      throw PersistenceError(
        .unsupported,
        "PostgreSQL: " + (missing.map { String(cString: $0) } ?? "not available")
      )
    }
    self.library = library
    // A server that vanishes is noticed, however long its answers take otherwise.
    let settings = [
      ("dbname", url), ("client_encoding", "UTF8"), ("fallback_application_name", "catalog"),
      ("tcp_user_timeout", "30000"), ("keepalives_idle", "30"),
    ]
    let started = Self.withTexts(settings.map(\.0)) { names in
      Self.withTexts(settings.map(\.1)) { library.PQconnectStartParams(names, $0, 1) }
    }
    guard let started else { throw PostgresFailure(message: "no memory for a connection") }
    connection = started
    try connect()
  }

  deinit { library.PQfinish(connection) }

  private func connect() throws {
    let end = ContinuousClock.now + .seconds(Self.connectSeconds)
    var isWriting = true
    if Int(library.PQstatus(connection)) == Int(CPQ_CONNECTION_BAD) { throw connectionFailure() }
    while true {
      _ = catalogPostgreSQLWait(
        library.PQsocket(connection),
        isWriting ? 1 : 0,
        Self.waitMilliseconds
      )
      try Interruption.check()
      switch Int(library.PQconnectPoll(connection)) {
      case Int(CPQ_POLLING_OK):
        _ = library.PQsetnonblocking(connection, 1)
        // The library prints notices otherwise, over the screen.
        _ = library.PQsetNoticeReceiver(connection, { _, _ in }, nil)
        return
      case Int(CPQ_POLLING_FAILED): throw connectionFailure()
      case Int(CPQ_POLLING_WRITING): isWriting = true
      default: isWriting = false
      }
      if ContinuousClock.now > end {
        throw PostgresFailure(message: "no answer within \(Int(Self.connectSeconds)) seconds")
      }
    }
  }

  private static let waitMilliseconds: Int32 = 20

  /// True if the server wants a password and none was found.
  var needsPassword: Bool { library.PQconnectionNeedsPassword(connection) != 0 }

  private func connectionFailure() -> PostgresFailure {
    if needsPassword { return PostgresFailure(state: "28P01", message: Self.passwordMessage) }
    return PostgresFailure(message: errorMessage)
  }

  static let passwordMessage = "a password is needed; set PGPASSWORD or ~/.pgpass"

  private var errorMessage: String {
    library.PQerrorMessage(connection).map { String(cString: $0) } ?? ""
  }

  // MARK: About the server

  /// The version as a number, such as 150020.
  var serverVersion: Int { Int(library.PQserverVersion(connection)) }
  /// The host or the folder of the socket, the port and the database.
  var address: String {
    [library.PQhost(connection), library.PQport(connection), library.PQdb(connection)]
      .map { $0.map { String(cString: $0) } ?? "" }.joined(separator: "/")
  }

  // MARK: Statements

  /// Runs statements in their text, with results in text format; all in one round trip.
  func simple(_ text: String) throws -> [PostgresResult] {
    try prepareToSend()
    try send(library.PQsendQuery(connection, text))
    return try results()
  }

  /// Runs statements in their text in one round trip, and returns all answers; after a failure, which is the last answer,
  /// the server runs none.
  ///
  /// - Throws: `PostgresFailure` if the connection is lost; `Interruption.Stopped`.
  func answers(_ text: String) throws -> [PostgresResult] {
    try prepareToSend()
    try send(library.PQsendQuery(connection, text))
    var found: [PostgresResult] = []
    while let result = try next() {
      if let failure = result.failure, failure.isOfConnection {
        isUsable = false
        throw failure
      }
      found.append(result)
    }
    return found
  }

  /// Ends the transaction; nothing stops that, or ends the wait for its answer.
  ///
  /// - Throws: `PostgresFailure` if the transaction was not committed; `UncertainCommit` if that is not known.
  func commit() throws {
    try prepareToSend()
    try Interruption.ignored {
      var answer: PostgresResult?
      do {
        try send(library.PQsendQuery(connection, "COMMIT"))
        while let result = try next(canceling: false) { answer = result }
      } catch let failure as PostgresFailure {
        throw UncertainCommit(failure: failure)
      }
      let failure = answer == nil ? PostgresFailure(message: "no answer") : answer?.failure
      if let failure {
        if failure.isOfConnection { isUsable = false }
        if failure.leavesDoubt { throw UncertainCommit(failure: failure) }
        throw failure
      }
      // A transaction that failed before answers COMMIT with ROLLBACK.
      guard answer?.tag == "COMMIT" else {
        throw PostgresFailure(
          state: "25P02",
          message: "the server answered \(answer?.tag ?? "nothing")"
        )
      }
    }
  }

  /// Undoes the transaction; a connection that cannot is not used again.
  func rollBack() {
    Interruption.ignored {
      if isUsable, (try? simple("ROLLBACK")) == nil { isUsable = false }
    }
  }

  /// Runs a statement; its result is in binary format.
  @discardableResult
  func run(_ sql: SQLText) throws -> PostgresResult {
    try send(sql)
    guard let last = try results().last else { throw PostgresFailure(message: "no answer") }
    return last
  }

  /// Runs a statement, and passes its rows on as they come.
  func forEachRow(_ sql: SQLText, _ body: (PostgresResult) throws -> Void) throws {
    try send(sql)
    _ = library.PQsetSingleRowMode(connection)
    var failure: (any Error)?
    while let result = try next(canceling: failure == nil) {
      if let found = result.failure, failure == nil { failure = found }
      guard failure == nil, result.status == Int(CPQ_SINGLE_TUPLE) else { continue }
      do { try body(result) } catch {
        failure = error
        cancel()
      }
    }
    if let failure { throw failure }
  }

  /// Runs a statement that copies rows out, and passes the pieces of its data on.
  func copyOut(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try prepareToSend()
    try send(library.PQsendQuery(connection, text))
    var failure: (any Error)?
    while let result = try next() {
      if let found = result.failure, failure == nil { failure = found }
      guard result.status == Int(CPQ_COPY_OUT) else { continue }
      do { try copyPieces(body) } catch {
        failure = error
        cancel()
        try copyPieces { _ in }
      }
    }
    if let failure { throw failure }
  }

  private func copyPieces(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    while true {
      var buffer: UnsafeMutablePointer<CChar>?
      let count = library.PQgetCopyData(connection, &buffer, 1)
      if count < 0 { return }
      if count == 0 {
        try waitForInput()
        continue
      }
      defer { library.PQfreemem(buffer) }
      try body(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
    }
  }

  /// Runs a body in a transaction in which the server reads the rows of a query in the same order each time.
  func inSteadyOrder<Result>(_ body: () throws -> Result) throws -> Result {
    _ = try simple(
      "BEGIN READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL synchronize_seqscans = off"
    )
    do {
      let result = try body()
      _ = try simple("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Sends a statement.
  private func send(_ sql: SQLText) throws {
    let values = sql.values
    guard values.count <= Int(UInt16.max) else {
      throw PostgresFailure(state: "54000", message: "too many values in a statement")
    }
    try prepareToSend()
    let sent = Self.withTexts(values.map(\.serverText)) {
      library.PQsendQueryParams(
        connection,
        sql.numberedText,
        Int32(values.count),
        nil,
        $0,
        nil,
        nil,
        1
      )
    }
    try send(sent)
  }

  /// Waits until a request to cancel has arrived.
  private func prepareToSend() throws {
    guard let canceling else { return }
    self.canceling = nil
    if !canceling.waitUntilDone(seconds: Self.cancelSeconds) { throw lost() }
  }

  private func send(_ status: Int32) throws {
    guard status == 1 else { throw lost() }
  }

  /// All results of what was sent.
  ///
  /// - Throws: The first failure, after the last result.
  private func results() throws -> [PostgresResult] {
    var found: [PostgresResult] = []
    while let result = try next() { found.append(result) }
    if let failure = found.lazy.compactMap(\.failure).first { throw failure }
    return found
  }

  /// The next result; nil after the last one.
  private func next(canceling: Bool = true) throws -> PostgresResult? {
    while library.PQisBusy(connection) != 0 { try waitForInput(canceling: canceling) }
    return library.PQgetResult(connection).map { PostgresResult(library, $0) }
  }

  /// Sends what waits and reads what has come, or waits for a moment.
  private func waitForInput(canceling: Bool = true) throws {
    let waits = library.PQflush(connection)
    guard waits >= 0 else { throw lost() }
    _ = catalogPostgreSQLWait(library.PQsocket(connection), waits, Self.waitMilliseconds)
    guard library.PQconsumeInput(connection) == 1 else { throw lost() }
    guard canceling else { return }
    do { try Interruption.check() } catch {
      try abandon()
      throw error
    }
  }

  private func lost() -> PostgresFailure {
    isUsable = false
    return PostgresFailure(message: errorMessage)
  }

  // MARK: Stopping

  /// Cancels what runs, and reads its results to their end.
  ///
  /// A server ignores a request that arrives before the statement does, so another one follows.
  private func abandon() throws {
    cancel()
    let end = ContinuousClock.now + .seconds(Self.cancelSeconds)
    var again = ContinuousClock.now + Self.cancelAgain
    try Interruption.ignored {
      while ContinuousClock.now < end {
        if ContinuousClock.now > again, canceling?.isDone ?? true {
          canceling = nil
          cancel()
          again = ContinuousClock.now + Self.cancelAgain
        }
        if library.PQisBusy(connection) != 0 {
          try waitForInput(canceling: false)
          continue
        }
        guard let result = library.PQgetResult(connection) else { return }
        let isCopy = Int(library.PQresultStatus(result)) == Int(CPQ_COPY_OUT)
        library.PQclear(result)
        if isCopy { try copyPieces { _ in } }
      }
      isUsable = false
    }
  }

  /// Asks the server to stop.
  private func cancel() {
    if canceling == nil {
      canceling = library.PQgetCancel(connection).map { CancelRequest(library, $0) }
    }
  }

  // MARK: Texts for C

  /// Calls the body with texts of C, and a null at the end.
  private static func withTexts<Result>(
    _ texts: [String?],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let bytes = texts.flatMap { $0.map { Array($0.utf8CString) } ?? [] }
    return bytes.withUnsafeBufferPointer { buffer in
      var place = 0
      var pointers = texts.map { text -> UnsafePointer<CChar>? in
        guard let text else { return nil }
        defer { place += text.utf8.count + 1 }
        return buffer.baseAddress.map { $0 + place }
      }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { pointers in
        guard let first = pointers.baseAddress else {
          preconditionFailure("an array with an element has an address")
        }
        return body(first)
      }
    }
  }
}

/// A transaction was asked to end, and its connection was lost before the answer came.
struct UncertainCommit: Error {
  let failure: PostgresFailure
}
