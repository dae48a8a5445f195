import DataStoreTesting
import OpenSwiftData
import SwiftData
import Testing

/// What programs written for SwiftData expect of contexts, models and their relationships.
@Suite struct PortedBehaviorTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try TypedFixture.container()
    context = ModelContext(container)
  }

  /// The names of the saved trips, as another context sees them.
  private func savedNames() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name).sorted()
  }

  /// A saved trip with two stops.
  private func savedTrip() throws -> (trip: Trip, stops: [Stop]) {
    let trip = Trip(name: "Alps")
    let stops = [Stop(place: "Bern"), Stop(place: "Chur")]
    context.insert(trip)
    trip.stops = stops
    try context.save()
    return (trip, stops)
  }

  private func expectNothingIsPending() {
    #expect(!context.hasChanges)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(context.changedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty)
  }

  enum Behavior: CaseIterable {
    case insertionIsPending, insertionAndDeletion, changeIsPending, deletionIsPending
    case rollbackOfDeletion, rollbackOfInsertion, rollbackOfChanges, rollbackOfBatchDeletion
    case replacedRelationship, bothSidesOfARelationship, insertionOfADeletedModel
    case undoneDeletion
  }

  @Test(arguments: Behavior.allCases) func behaviorIsThatOfSwiftData(_ behavior: Behavior) throws {
    switch behavior {
    case .insertionIsPending: try anInsertionIsPendingUntilItIsSaved()
    case .insertionAndDeletion: try anInsertionThatIsDeletedLeavesNothingToSave()
    case .changeIsPending: try aChangeIsPendingUntilItIsSaved()
    case .deletionIsPending: try aDeletionIsPendingUntilItIsSaved()
    case .rollbackOfDeletion: try rollbackRestoresADeletedModelWithItsRelationships()
    case .rollbackOfInsertion: try rollbackRemovesAnInsertionThatMayBeMadeAgain()
    case .rollbackOfChanges: try rollbackRestoresValuesAndBothSides()
    case .rollbackOfBatchDeletion: try rollbackRestoresABatchDeletion()
    case .replacedRelationship: try aReplacedRelationshipReleasesWhatItLeavesOut()
    case .bothSidesOfARelationship: try bothSidesOfARelationshipCanBeSet()
    case .insertionOfADeletedModel: try insertingADeletedModelKeepsIt()
    case .undoneDeletion: try anUndoneDeletionRestoresTheRelationship()
    }
  }

  private func anInsertionIsPendingUntilItIsSaved() throws {
    let trip = Trip(name: "Alps")
    let stop = Stop(place: "Bern", trip: trip)
    #expect(trip.modelContext == nil)
    context.insert(stop)
    #expect(trip.modelContext == context && trip.stops == [stop])
    #expect(context.hasChanges && trip.hasChanges && stop.hasChanges)
    #expect(context.insertedModelsArray.count == 2)
    #expect(trip.persistentModelID.storeIdentifier == nil)
    context.insert(trip)
    #expect(context.insertedModelsArray.count == 2)
    #expect(try savedNames() == [])
    try context.save()
    #expect(trip.persistentModelID.storeIdentifier != nil)
    #expect(!trip.hasChanges && !trip.isDeleted)
    let registered: Trip? = context.registeredModel(for: trip.persistentModelID)
    #expect(registered === trip)
    expectNothingIsPending()
    #expect(try savedNames() == ["Alps"])
  }

  private func anInsertionThatIsDeletedLeavesNothingToSave() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    trip.stops = [Stop(place: "Bern")]
    context.delete(trip)
    expectNothingIsPending()
    #expect(trip.modelContext == nil && trip.name == "Alps")
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    context.delete(trip)
    try context.save()
    #expect(try savedNames() == [])
  }

  private func aChangeIsPendingUntilItIsSaved() throws {
    let (trip, stops) = try savedTrip()
    trip.name = "Andes"
    #expect(trip.hasChanges && context.hasChanges && !stops[0].hasChanges)
    #expect(context.changedModelsArray.map(\.persistentModelID) == [trip.persistentModelID])
    #expect(context.insertedModelsArray.isEmpty && context.deletedModelsArray.isEmpty)
    let isAndes = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Andes" })
    #expect(try context.fetch(isAndes) == [trip])
    #expect(try savedNames() == ["Alps"])
    try context.save()
    expectNothingIsPending()
    #expect(try savedNames() == ["Andes"])
  }

  private func aDeletionIsPendingUntilItIsSaved() throws {
    let (trip, stops) = try savedTrip()
    context.delete(trip)
    context.delete(trip)
    #expect(trip.isDeleted && trip.name == "Alps" && stops.allSatisfy(\.isDeleted))
    #expect(context.deletedModelsArray.count == 3 && context.changedModelsArray.isEmpty)
    #expect(try context.fetch(FetchDescriptor<Trip>()).isEmpty)
    #expect(try savedNames() == ["Alps"])
    try context.save()
    expectNothingIsPending()
    #expect(trip.modelContext == nil && trip.name == "Alps")
    #expect(try savedNames() == [])
  }

  private func rollbackRestoresADeletedModelWithItsRelationships() throws {
    let (trip, stops) = try savedTrip()
    context.delete(trip)
    context.rollback()
    expectNothingIsPending()
    #expect(!trip.isDeleted && !stops.contains(where: \.isDeleted))
    #expect(trip.stops == stops && stops.allSatisfy { $0.trip === trip })
    #expect(trip.modelContext == context)
  }

  private func rollbackRemovesAnInsertionThatMayBeMadeAgain() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let stop = Stop(place: "Bern")
    trip.stops = [stop]
    context.rollback()
    expectNothingIsPending()
    #expect(trip.modelContext == nil && stop.modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    context.insert(trip)
    try context.save()
    #expect(try savedNames() == ["Alps"])
  }

  private func rollbackRestoresValuesAndBothSides() throws {
    let (trip, stops) = try savedTrip()
    let guest = Guest(name: "Ada")
    context.insert(guest)
    try context.save()
    trip.name = "Andes"
    trip.guests = [guest]
    stops[0].trip = nil
    context.rollback()
    expectNothingIsPending()
    #expect(trip.name == "Alps" && trip.guests.isEmpty && guest.trips.isEmpty)
    #expect(trip.stops == stops && stops[0].trip === trip)
  }

  private func rollbackRestoresABatchDeletion() throws {
    let (trip, stops) = try savedTrip()
    try context.delete(model: Stop.self, where: #Predicate { $0.place == "Bern" })
    #expect(stops[0].isDeleted && trip.stops == [stops[1]])
    context.rollback()
    expectNothingIsPending()
    #expect(!stops[0].isDeleted && trip.stops == stops)
  }

  private func aReplacedRelationshipReleasesWhatItLeavesOut() throws {
    let (trip, stops) = try savedTrip()
    let third = Stop(place: "Davos")
    trip.stops = [stops[1], third]
    #expect(stops[0].trip == nil && stops[1].trip === trip && third.trip === trip)
    #expect(third.modelContext == context && context.insertedModelsArray.count == 1)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Stop>()) == 3)
    #expect(
      try other.fetch(FetchDescriptor<Trip>()).first?.stops.map(\.place) == ["Chur", "Davos"]
    )
  }

  private func bothSidesOfARelationshipCanBeSet() throws {
    let (trip, stops) = try savedTrip()
    let other = Trip(name: "Andes")
    context.insert(other)
    stops[0].trip = other
    #expect(trip.stops == [stops[1]] && other.stops == [stops[0]])
    other.stops.append(stops[1])
    #expect(trip.stops.isEmpty && stops[1].trip === other)
    other.stops.removeAll { $0 === stops[0] }
    #expect(stops[0].trip == nil)
    context.delete(stops[1])
    #expect(other.stops.isEmpty)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).map(\.place) == ["Bern"])
  }

  private func insertingADeletedModelKeepsIt() throws {
    let (trip, _) = try savedTrip()
    let identifier = trip.persistentModelID
    context.delete(trip)
    context.insert(trip)
    #expect(!trip.isDeleted && trip.modelContext == context)
    try context.save()
    #expect(try savedNames() == ["Alps"] && trip.persistentModelID == identifier)
  }

  private func anUndoneDeletionRestoresTheRelationship() throws {
    let (trip, stops) = try savedTrip()
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(stops[0])
    #expect(trip.stops == [stops[1]])
    context.processPendingChanges()
    manager.undo()
    #expect(!context.hasChanges && trip.stops.map(\.place) == ["Bern", "Chur"])
    manager.redo()
    #expect(trip.stops.map(\.place) == ["Chur"])
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stop>()) == 1)
  }
}
