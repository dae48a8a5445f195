import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Synchronization

// The code of the page "Write your own store". `DocumentedCodeTests` compares the two.

@Model
final class Hike {
  var name: String
  var days: Int
  @Relationship(deleteRule: .cascade, inverse: \Hut.hike) var huts: [Hut] = []

  init(_ name: String, days: Int) {
    self.name = name
    self.days = days
  }
}

@Model
final class Hut {
  var place: String
  var hike: Hike?

  init(_ place: String) { self.place = place }
}

struct NotebookConfiguration: DataStoreConfiguration {
  typealias Store = NotebookStore

  var name = "notebook"
  var schema: Schema?
}

final class NotebookStore: QueryableStore, ChangeFeedingStore {
  let configuration: NotebookConfiguration
  let changeFeed = StoreChangeFeed()
  private let records = Mutex<[DefaultSnapshot]>([])

  init(_ configuration: NotebookConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let entity = try schema.entity(named: query.entityName)
    try query.validate(for: entity)
    let all = records.withLock { $0 }
      .filter { $0.persistentIdentifier.entityName == entity.name }
    return try query.run(over: all, of: entity)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try records.withLock { records in
      try checkForConflicts(records, changes)
      var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
      for identifier in changes.inserted.map(\.persistentIdentifier) {
        _ = try schema.entity(named: identifier.entityName)
        guard identifier.isTemporary else { continue }
        permanent[identifier] = try .identifier(
          for: self.identifier,
          entityName: identifier.entityName,
          primaryKey: UUID()
        )
      }
      let changes = changes.remapped(permanent)
      let deleted = Set(changes.deleted.map(\.persistentIdentifier))
      records.removeAll { deleted.contains($0.persistentIdentifier) }
      for update in changes.updated {
        let place = records.firstIndex { $0.persistentIdentifier == update.persistentIdentifier }
        guard let place else { continue }
        for slot in update.changedSlots {
          records[place].orderedValues[slot] = update.after.orderedValues[slot]
        }
      }
      records += changes.inserted
      return CommitResult(remappedIdentifiers: permanent)
    }
  }

  private func checkForConflicts(_ records: [DefaultSnapshot], _ changes: ChangeSet) throws {
    var present: [PersistentIdentifier: DefaultSnapshot] = [:]
    for record in records { present[record.persistentIdentifier] = record }
    let isCurrent =
      changes.inserted.allSatisfy { present[$0.persistentIdentifier] == nil }
      && changes.deleted.allSatisfy { present[$0.persistentIdentifier] == $0 }
      && changes.updated.allSatisfy { update in
        guard let values = present[update.persistentIdentifier]?.orderedValues else { return false }
        return update.changedSlots.allSatisfy { values[$0] == update.before.orderedValues[$0] }
      }
    guard isCurrent else {
      throw PersistenceError(.conflict, "another context changed the same values in \(identifier)")
    }
  }

  func received(_ news: [DefaultSnapshot]) throws {
    let result = try commit(ChangeSet(inserted: news), author: "server")
    changeFeed.send(StoreChange(inserted: Array(result.remappedIdentifiers.values)))
  }
}
