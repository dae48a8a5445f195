import Foundation
import Stores
import SwiftData
import Testing

/// A relationship to a superclass refers to objects of its subclasses, in every kind of store.
struct SuperclassLinkTests {
  enum Kind: CaseIterable { case memory, defaultStore, json, plain }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A location where models are saved, and how to reopen it.
  private struct Place {
    let folder: TemporaryFolder
    let kind: Kind
    private let first: ModelContainer

    init(_ kind: Kind, _ folder: TemporaryFolder) throws {
      self.kind = kind
      self.folder = folder
      first = try Self.open(kind, folder)
    }

    var url: URL { Self.url(folder) }

    private static func url(_ folder: TemporaryFolder) -> URL {
      folder.url.appending(path: "journeys")
    }

    private static func open(_ kind: Kind, _ folder: TemporaryFolder) throws -> ModelContainer {
      let schema = Schema([Journey.self, BusinessJourney.self, Hotel.self, Planner.self])
      switch kind {
      case .memory:
        return try ModelContainer(
          for: schema,
          configurations: ModelConfiguration(isStoredInMemoryOnly: true)
        )
      case .defaultStore:
        return try ModelContainer(for: schema, configurations: ModelConfiguration(url: url(folder)))
      case .json:
        let configuration = JSONStoreConfiguration(path: url(folder).path + ".json")
        return try ModelContainer(for: schema, configurations: [configuration])
      case .plain:
        let configuration = CardStore.Configuration(url: url(folder))
        return try ModelContainer(for: schema, configurations: [configuration])
      }
    }

    /// A context that has not read anything, on a store that was reopened if it has a file.
    func context() throws -> ModelContext {
      ModelContext(kind == .memory ? first : try Self.open(kind, folder))
    }

    func hotel() throws -> Hotel {
      try #require(try context().fetch(FetchDescriptor<Hotel>()).first)
    }
  }

  /// A hotel with a journey and a business journey, which is its favorite.
  private func filled(_ kind: Kind) throws -> Place {
    let place = try Place(kind, folder)
    let context = try place.context()
    let hotel = Hotel(name: "Ritz")
    context.insert(hotel)
    hotel.journeys = [BusinessJourney(name: "Fair", company: "Ada"), Journey(name: "Sea")]
    hotel.favourite = hotel.journeys[0]
    let planner = Planner(name: "Bo")
    context.insert(planner)
    planner.journeys = hotel.journeys
    try context.save()
    #expect(hotel.favourite?.persistentModelID.entityName == "BusinessJourney")
    #expect(hotel.favourite?.persistentModelID.storeIdentifier != nil)
    return place
  }

  @Test(arguments: Kind.allCases)
  func objectsOfASubclassComeBackAsSuch(kind: Kind) throws {
    let hotel = try filled(kind).hotel()
    let favourite = try #require(hotel.favourite as? BusinessJourney)
    #expect(favourite.company == "Ada" && favourite.favouriteOf === hotel)
    #expect(hotel.journeys.map(\.name) == ["Fair", "Sea"])
    #expect(hotel.journeys[0] === favourite && !(hotel.journeys[1] is BusinessJourney))
    #expect(hotel.journeys.allSatisfy { $0.hotel === hotel })
  }

  @Test(arguments: Kind.allCases)
  func linksCanBeChangedFromOneClassToTheOther(kind: Kind) throws {
    let place = try filled(kind)
    var hotel = try place.hotel()
    hotel.favourite = hotel.journeys[1]
    hotel.journeys.append(BusinessJourney(name: "Talk", company: "Cy"))
    hotel.journeys.swapAt(0, 1)
    try hotel.modelContext?.save()
    hotel = try place.hotel()
    #expect(hotel.favourite?.name == "Sea")
    #expect(hotel.journeys.map(\.name) == ["Sea", "Fair", "Talk"])
    #expect(hotel.journeys.map { $0 is BusinessJourney } == [false, true, true])
    hotel.favourite = hotel.journeys[2]
    try hotel.modelContext?.save()
    #expect((try place.hotel().favourite as? BusinessJourney)?.company == "Cy")
  }

  @Test(arguments: Kind.allCases)
  func deletingAnObjectOfASubclassNullifiesWhatRefersToIt(kind: Kind) throws {
    let place = try filled(kind)
    let context = try place.context()
    let fair = try #require(try context.fetch(FetchDescriptor<BusinessJourney>()).first)
    context.delete(fair)
    try context.save()
    let hotel = try place.hotel()
    #expect(hotel.favourite == nil)
    #expect(hotel.journeys.map(\.name) == ["Sea"])
  }

  @Test(arguments: Kind.allCases)
  func deletingTheOwnerDeletesObjectsOfBothClasses(kind: Kind) throws {
    let place = try filled(kind)
    let context = try place.context()
    context.delete(try #require(try context.fetch(FetchDescriptor<Planner>()).first))
    try context.save()
    #expect(try place.context().fetchCount(FetchDescriptor<Journey>()) == 0)
    #expect(try place.hotel().journeys.isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func predicatesFollowLinksToBothClasses(kind: Kind) throws {
    let context = try filled(kind).context()
    let journeys = try context.fetch(
      FetchDescriptor<Journey>(
        predicate: #Predicate { $0.hotel?.name == "Ritz" },
        sortBy: [SortDescriptor(\.name, comparator: .lexical)]
      )
    )
    #expect(journeys.map(\.name) == ["Fair", "Sea"])
    func count(_ predicate: Predicate<Hotel>) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(try count(#Predicate { $0.favourite?.name == "Fair" }) == 1)
    #expect(try count(#Predicate { $0.favourite?.name == "Sea" }) == 0)
    #expect(try count(#Predicate { $0.journeys.contains { $0.name == "Fair" } }) == 1)
    let fair = journeys[0].persistentModelID
    #expect(try count(#Predicate { $0.favourite?.persistentModelID == fair }) == 1)
    let sea = journeys[1].persistentModelID
    #expect(try count(#Predicate { $0.favourite?.persistentModelID == sea }) == 0)
  }

  @Test func aJSONFileNamesTheEntityWhereItIsNotTheDeclaredOne() throws {
    let place = try filled(.json)
    let text = try String(contentsOf: place.url.appendingPathExtension("json"), encoding: .utf8)
    let hotel = try place.hotel()
    let (fair, sea) = (hotel.journeys[0].persistentModelID, hotel.journeys[1].persistentModelID)
    #expect(text.contains("\"journeys\": [\"BusinessJourney/\(fair)\", \"\(sea)\"]"))
    #expect(text.contains("\"favourite\": \"BusinessJourney/\(fair)\""))
  }
}
