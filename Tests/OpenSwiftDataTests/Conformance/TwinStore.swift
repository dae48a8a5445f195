import Foundation
import OpenSwiftData
import Synchronization

/// The flaws of stores on a shared location.
enum SharingFlaw: String, CaseIterable, Sendable {
  case refreshesNothing, sendsNothing, sendsAgain, sendsUnderItsLock, overwritesOthers
  case acceptsStaleValues, forgetsTransactionsOfOthers
}

/// The place where twin stores save their records.
final class TwinLocation: Sendable {
  struct Contents: Sendable {
    var records: StoredRecords
    var history = SessionHistory()
    var version = 0
  }

  let contents: Mutex<Contents>

  init(schema: Schema) throws {
    contents = Mutex(
      Contents(records: try StoredRecords(schema: schema, storeIdentifier: "twins"))
    )
  }
}

struct TwinConfiguration: DataStoreConfiguration {
  typealias Store = TwinStore

  var name = "twins"
  var schema: Schema?
  var location: TwinLocation
  var flaw: SharingFlaw?

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.location === rhs.location }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(location)) }
}

/// A store that reads from a copy of its location until it is refreshed.
final class TwinStore: HistoryKeepingStore, ChangeFeedingStore, Sendable {
  let configuration: TwinConfiguration
  let changeFeed = StoreChangeFeed()
  private let copy: Mutex<TwinLocation.Contents>

  init(_ configuration: TwinConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) {
    self.configuration = configuration
    copy = Mutex(configuration.location.contents.withLock { $0 })
  }

  var identifier: String { "twins" }
  var schema: Schema { copy.withLock { $0.records.schema } }
  private func has(_ flaw: SharingFlaw) -> Bool { configuration.flaw == flaw }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try copy.withLock { try $0.records.snapshots(matching: query) }
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try copy.withLock { copy in
      try configuration.location.contents.withLock { contents in
        var new = has(.overwritesOthers) ? copy : contents
        var changes = changes
        if has(.acceptsStaleValues) {
          let all = new.records.all
          changes.updated = changes.updated.map { update in
            let present = all.first { $0.persistentIdentifier == update.persistentIdentifier }
            return RecordUpdate(before: present ?? update.before, after: update.after)
          }
        }
        var result = try new.records.commit(changes)
        if !changes.isEmpty {
          let done = changes.remapped(result.remappedIdentifiers)
          result.token = new.history.append(
            done,
            author: author,
            at: Date(timeIntervalSince1970: 0)
          )
          new.version += 1
        }
        contents = new
        copy = new
        return result
      }
    }
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try copy.withLock { try $0.history.transactions(after: token, touching: identifier) }
  }

  func deleteTransactions(_ tokens: Set<Int64>) throws {
    copy.withLock { $0.history.delete(tokens) }
  }

  func refresh() throws {
    if has(.refreshesNothing) { return }
    let change = copy.withLock { copy in
      let former = copy
      copy = configuration.location.contents.withLock { $0 }
      if has(.forgetsTransactionsOfOthers) { copy.history = former.history }
      let change = former.version == copy.version ? nil : Self.change(from: former, to: copy)
      if has(.sendsUnderItsLock), let change { changeFeed.send(change) }
      return change ?? (has(.sendsAgain) ? .everything : nil)
    }
    guard let change, !has(.sendsUnderItsLock), !has(.sendsNothing) else { return }
    changeFeed.send(change)
  }

  private static func change(from old: TwinLocation.Contents, to new: TwinLocation.Contents)
    -> StoreChange
  {
    let before = Dictionary(old.records.all.map { ($0.persistentIdentifier, $0) }) { $1 }
    let after = Dictionary(new.records.all.map { ($0.persistentIdentifier, $0) }) { $1 }
    return StoreChange(
      inserted: after.keys.filter { before[$0] == nil },
      updated: after.keys.filter { before[$0] != nil && before[$0] != after[$0] },
      deleted: before.keys.filter { after[$0] == nil }
    )
  }
}
