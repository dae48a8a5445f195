import Foundation
import SwiftData

// Relationships to a class with a subclass, of each multiplicity and delete rule.

@Model
class Journey {
  var name: String
  var hotel: Hotel?
  var favouriteOf: Hotel?
  var planner: Planner?

  init(name: String) { self.name = name }
}

@Model
final class BusinessJourney: Journey {
  var company: String

  init(name: String, company: String) {
    self.company = company
    super.init(name: name)
  }
}

@Model
final class Hotel {
  var name: String
  @Relationship(inverse: \Journey.hotel) var journeys: [Journey] = []
  @Relationship(inverse: \Journey.favouriteOf) var favourite: Journey?

  init(name: String) { self.name = name }
}

@Model
final class Planner {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Journey.planner) var journeys: [Journey] = []

  init(name: String) { self.name = name }
}

/// A store that implements only `DataStore` and keeps everything in one file.
final class CardStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = CardStore
    var name: String { url.lastPathComponent }
    var schema: Schema?
    var url: URL
  }

  let configuration: Configuration

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try cards())
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: identifier)
    let gone = Set((changes.updated + request.deleted).map(\.persistentIdentifier))
    let kept = try cards().filter { !gone.contains($0.persistentIdentifier) }
    try JSONEncoder().encode(kept + changes.updated + changes.inserted)
      .write(to: configuration.url)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }

  private func cards() throws -> [DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.url.path) else { return [] }
    return try JSONDecoder().decode(
      [DefaultSnapshot].self,
      from: Data(contentsOf: configuration.url)
    )
  }
}
