import Expressions
import OpenSwiftData

/// Checks that records which a predicate has found still match when they are read to be changed.
///
/// Finding records and reading them are two moments, and another program may save between them. The values that it
/// saved would be taken for those that the predicate was about, and overwritten without a conflict.
struct MatchCheck {
  let query: Query?
  private let session: Session
  /// The number of reports of others before the records were found.
  private var reportCount: Int
  private let filter: BoundFilter?
  private let layout: SnapshotLayout?
  /// The records that the same command has changed since they were found, and which need not match any longer.
  private let changed: Set<PersistentIdentifier>
  /// The condition about files that the records have met, too.
  var joined: (rows: JoinedRows, failing: FailingValues)?

  /// Begins before the records are found; records that were named need no check.
  ///
  /// Records that were found earlier have the number of reports of others from before that.
  init(
    _ target: Target,
    _ session: Session,
    since reportCount: Int? = nil,
    except changed: Set<PersistentIdentifier> = []
  ) throws {
    self.session = session
    self.changed = changed
    self.reportCount = reportCount ?? session.context.reportCount
    guard case .query(let query) = target else {
      (self.query, filter, layout) = (nil, nil, nil)
      return
    }
    self.query = query
    let entity = try session.context.schema.entity(named: query.entityName)
    layout = entity.layout
    // Some predicates are answered with other records, such as those about linked records.
    filter = try? BoundFilter(query.filter, layout: entity.withIdentifier.layout)
  }

  /// Checks records that were just read.
  ///
  /// - Throws: `OvertakenMatches` if one does not match, or the error of a store that cannot be read.
  /// - Complexity: O(n) in the records if others may have saved since the records were found.
  mutating func check(_ states: [ModelState]) throws {
    guard let query,
      session.context.reportCount != reportCount || !session.context.readingReports
    else { return }
    let states = changed.isEmpty ? states : states.filter { !changed.contains($0.identifier) }
    if let joined {
      let areMatches = states.allSatisfy { state in
        let row = ExpressionRow(values: state.orderedValues, of: state.identifier)
        return !joined.rows.rows(beside: row, failing: joined.failing).rows.isEmpty
      }
      guard areMatches else { throw OvertakenMatches() }
    }
    if let filter, let layout {
      let areMatches = states.allSatisfy { state in
        let record = state.snapshot.arranged(as: layout)
        return filter.matches(
          record.orderedValues + [.text(record.persistentIdentifier.description)]
        )
      }
      guard areMatches else { throw OvertakenMatches() }
    } else {
      reportCount = session.context.reportCount
      let matches = Set(try session.context.fetchIdentifiers(query))
      guard states.allSatisfy({ matches.contains($0.identifier) }) else {
        throw OvertakenMatches()
      }
    }
  }
}

/// Another program has changed a record between the moment when a predicate found it and the one when it was read.
///
/// A command is abandoned and performed again; only after many attempts, and from a command that runs others, does this
/// reach the user.
struct OvertakenMatches: CodedError {
  /// How often a command is performed.
  static let mostAttempts = 8

  let code = FailureCode.conflict
  let column: Int? = nil
  let message =
    "other programs keep changing the records that match; nothing was changed; try again"
}
