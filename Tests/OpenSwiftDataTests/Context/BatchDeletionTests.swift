import SwiftData
import Testing

/// `delete(model:where:includeSubclasses:)` fetches the models and deletes each of them.
struct BatchDeletionTests {
  private func filled() throws -> ModelContext {
    let context = ModelContext(try TypedFixture.container())
    context.insert(Vehicle(wheels: 2))
    context.insert(Vehicle(wheels: 3))
    context.insert(Car(doors: 3))
    context.insert(Van(load: 1.5))
    try context.save()
    return context
  }

  @Test func onlyWhatFitsIsDeletedByTheNextSave() throws {
    let context = try filled()
    try context.delete(model: Vehicle.self, where: #Predicate { $0.wheels > 2 })
    #expect(context.deletedModelsArray.count == 3)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Vehicle>()) == 4)
    try context.save()
    let left = try ModelContext(context.container).fetch(FetchDescriptor<Vehicle>())
    #expect(left.map(\.wheels) == [2])
  }

  @Test func subclassesAreLeftAloneWhenAskedFor() throws {
    let context = try filled()
    try context.delete(model: Vehicle.self, includeSubclasses: false)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Vehicle>()).allSatisfy { $0 is Car })
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 2)
    try context.delete(model: Car.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 0)
  }

  @Test func newModelsAreForgottenAndARollbackBringsTheOthersBack() throws {
    let context = try filled()
    context.insert(Vehicle(wheels: 1))
    try context.delete(model: Vehicle.self)
    #expect(context.insertedModelsArray.isEmpty)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 4)
  }

  @Test func deleteRulesAreFollowed() throws {
    let context = ModelContext(try TypedFixture.container())
    let trip = Trip(name: "North")
    context.insert(trip)
    trip.stops = [Stop(place: "Oslo"), Stop(place: "Bergen")]
    try context.save()
    try context.delete(model: Trip.self, where: #Predicate { $0.name == "North" })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func identifiersComeInBatchesAsWell() throws {
    let context = try filled()
    let all = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.wheels)])
    let batches = try context.fetchIdentifiers(all, batchSize: 2)
    #expect(try Array(batches) == context.fetchIdentifiers(all))
    #expect(batches.count == 4)
  }
}
