import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Subclasses are separate entities, which a fetch of the superclass includes.
struct InheritanceTests {
  private func filled() throws -> ModelContainer {
    let container = try TypedFixture.container()
    let context = ModelContext(container)
    context.insert(Vehicle(wheels: 2))
    let car = Car(doors: 3)
    car.owner = "Ada"
    context.insert(car)
    context.insert(Van(load: 1.5))
    try context.save()
    return container
  }

  @Test func fetchingTheSuperclassFindsSubclasses() throws {
    let context = ModelContext(try filled())
    let all = try context.fetch(FetchDescriptor<Vehicle>())
    #expect(all.count == 3)
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 3)
    #expect(all.compactMap { ($0 as? Van)?.load } == [1.5])
    #expect(try context.fetch(FetchDescriptor<Car>()).map(\.doors).sorted() == [3, 5])
    #expect(try context.fetch(FetchDescriptor<Van>()).map(\.wheels) == [4])
  }

  @Test func inheritedPropertiesBelongToTheSameRecord() throws {
    let container = try filled()
    let context = ModelContext(container)
    let van = try #require(try context.fetch(FetchDescriptor<Van>()).first)
    van.owner = "Bo"
    van.doors = 4
    van.load = 2
    try context.save()
    let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Van>()).first)
    #expect(again.owner == "Bo" && again.doors == 4 && again.load == 2 && again.wheels == 4)
  }

  @Test func aNewObjectHasOneStateAtAllLevels() throws {
    let van = Van(load: 3)
    #expect(van.wheels == 4 && van.doors == 5 && van.load == 3)
    let context = try TypedFixture.context()
    context.insert(van)
    van.wheels = 6
    van.load = 4
    #expect(van.persistentState.snapshot["wheels"] == .integer(6))
    #expect(van.persistentState.snapshot["load"] == .number(4))
  }

  @Test func keyPathsOfSubclassesAreKnown() {
    #expect(ModelDescription.of(Van.self).slot(of: \Van.wheels) == 0)
    #expect(ModelDescription.of(Van.self).slot(of: \Van.load) == 3)
    #expect(ModelDescription.of(Car.self).slot(of: \Car.owner) == 1)
  }
}
