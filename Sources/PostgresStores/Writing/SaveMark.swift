import OpenSwiftData
import SQL

/// What tells of a transaction whether it still runs: a lock that only it holds, and the process of the server.
struct SaveMark: Sendable {
  /// The number of an advisory lock, which the server keeps until the transaction ends.
  let lock = Int64.random(in: 1..<1 << 62)
  private(set) var process = 0
  /// When the process was started: its number may be given to another one.
  private(set) var started = ""

  /// Takes the lock.
  var lockStatement: String { "SELECT pg_catalog.pg_advisory_xact_lock(\(lock))" }

  /// Asks for the process.
  static let processStatement = """
    SELECT pid::text, extract(epoch FROM backend_start)::text \
    FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid())
    """

  /// Ends the process; no other one that has its number now.
  var endingStatement: String {
    """
    SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity \
    WHERE pid = \(process) AND extract(epoch FROM backend_start)::text = \(SQLText.constant(started))
    """
  }

  /// Notes the answer.
  mutating func note(_ result: PostgresResult) {
    (process, started) = (result.number(0, 0), result.text(0, 1) ?? "")
  }
}
