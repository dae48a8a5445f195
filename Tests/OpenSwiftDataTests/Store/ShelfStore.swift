import Foundation
import SwiftData

/// A store in memory like those in articles about custom stores, with the released names: it
/// declares neither its identifier nor its schema, filters by the name of the class, and ignores
/// predicate and order.
///
/// With a flaw, it has one planted bug.
final class ShelfConfiguration: DataStoreConfiguration {
  typealias Store = ShelfStore

  var name: String
  var schema: Schema?
  let flaw: ShelfFlaw?

  init(name: String = "shelf", schema: Schema? = nil, flaw: ShelfFlaw? = nil) {
    self.name = name
    self.schema = schema
    self.flaw = flaw
  }

  static func == (lhs: ShelfConfiguration, rhs: ShelfConfiguration) -> Bool {
    lhs.name == rhs.name
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

enum ShelfFlaw: String, CaseIterable, Sendable {
  case leavesTemporaryIdentifiers, remapsToTemporary, remapsTwice, remapsStrangers
  case remapsToAnotherEntity, takesAUsedIdentifier
  case answersTwice, answersUnknownEntity, answersTemporary, cutsBeforeFiltering
  case forgetsUpdates, forgetsDeletions, failsToSave, failsToFetch, losesLinks, swapsValues
  case countsEverything, dropsHalfOfASave, wrongKind
  case savesAndFails, roundsNumbers, foldsTexts
}

final class ShelfStore: DataStore {
  typealias Configuration = ShelfConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: ShelfConfiguration
  var shelf: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// The requests, for tests that check them.
  var requests: [String] = []
  var savesCount = 0
  var failsNextSave = false

  init(_ configuration: ShelfConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) {
    self.configuration = configuration
  }

  private var flaw: ShelfFlaw? { configuration.flaw }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    let descriptor = request.descriptor
    requests.append(
      "\(T.self)\(descriptor.predicate == nil ? "" : " filter")"
        + "\(descriptor.sortBy.isEmpty ? "" : " sort") \(descriptor.fetchLimit ?? -1)"
    )
    if flaw == .failsToFetch { throw DataStoreError.unsupportedFeature }
    var found = shelf.values.filter {
      $0.persistentIdentifier.entityName == String(describing: T.self)
    }
    found.sort { $0.persistentIdentifier < $1.persistentIdentifier }
    if flaw == .cutsBeforeFiltering, descriptor.predicate != nil || !descriptor.sortBy.isEmpty {
      found.removeLast(found.count / 2)
    }
    if let fetchLimit = descriptor.fetchLimit { found = Array(found.prefix(fetchLimit)) }
    try spoil(&found)
    return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: found)
  }

  private func spoil(_ found: inout [DefaultSnapshot]) throws {
    guard let first = found.first else { return }
    switch flaw {
    case .answersTwice: found.append(first)
    case .answersUnknownEntity:
      let stranger = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: "Ghost",
        primaryKey: 1
      )
      found.append(first.copy(persistentIdentifier: stranger))
    case .answersTemporary:
      found.append(first.copy(persistentIdentifier: Journey("x").persistentModelID))
    case .swapsValues where found.count > 1:
      found[0].orderedValues = found[1].orderedValues
    case .wrongKind: found[0].orderedValues[2] = .text("many")
    default: break
    }
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    savesCount += 1
    if flaw == .failsToSave { throw ShelfError.full }
    if failsNextSave {
      failsNextSave = false
      if flaw == .savesAndFails {
        for snapshot in request.deleted { shelf[snapshot.persistentIdentifier] = nil }
      }
      throw ShelfError.full
    }
    if flaw == .leavesTemporaryIdentifiers {
      for snapshot in request.inserted { shelf[snapshot.persistentIdentifier] = snapshot }
      for snapshot in request.deleted { shelf[snapshot.persistentIdentifier] = nil }
      return DataStoreSaveChangesResult<DefaultSnapshot>(for: configuration.name)
    }
    let changes = request.assignPermanentIdentifiers(for: configuration.name)
    var inserted = changes.inserted
    if let flaw { inserted = inserted.map { damaged($0, flaw) } }
    if flaw == .dropsHalfOfASave, inserted.count > 1 { inserted.removeLast() }
    for snapshot in inserted { shelf[snapshot.persistentIdentifier] = snapshot }
    if flaw != .forgetsUpdates {
      for snapshot in changes.updated { shelf[snapshot.persistentIdentifier] = snapshot }
    }
    if flaw != .forgetsDeletions {
      for snapshot in request.deleted {
        shelf.removeValue(forKey: snapshot.persistentIdentifier)
      }
    }
    return DataStoreSaveChangesResult<DefaultSnapshot>(
      for: configuration.name,
      remappedIdentifiers: try spoiled(changes.remappedIdentifiers, request)
    )
  }

  private func damaged(_ snapshot: DefaultSnapshot, _ flaw: ShelfFlaw) -> DefaultSnapshot {
    var copy = snapshot
    copy.orderedValues = snapshot.orderedValues.map { value in
      switch (flaw, value) {
      case (.losesLinks, .link): .null
      case (.roundsNumbers, .number(let number)): .number(Double(Float(number)))
      case (.foldsTexts, .text(let text)): .text(text.precomposedStringWithCanonicalMapping)
      default: value
      }
    }
    return copy
  }

  private func spoiled(
    _ map: [PersistentIdentifier: PersistentIdentifier],
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [PersistentIdentifier: PersistentIdentifier] {
    var map = map
    guard let key = map.keys.sorted().last else { return map }
    switch flaw {
    case .remapsToTemporary: map[key] = key
    case .remapsTwice: map[key] = map[map.keys.sorted()[0]]
    case .remapsStrangers: map[Journey("x").persistentModelID] = map[key]
    case .remapsToAnotherEntity:
      map[key] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: "Leg",
        primaryKey: 9
      )
    case .takesAUsedIdentifier:
      map[key] = request.updated.first?.persistentIdentifier ?? map[key]
    default: break
    }
    return map
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    if flaw == .countsEverything { return shelf.count }
    return try fetchIdentifiers(request).count
  }
}

enum ShelfError: Error { case full }
