import DataStoreTesting
import OpenSwiftData
import SwiftData
import SwiftFiveModels
import Testing

/// An object of a class hierarchy has one set of values.
@Suite struct ModelInheritanceTests {
  @Test func initializersOfEveryLevelFillOneObject() {
    let crane = Crane(reach: 9)
    #expect(crane.name == "crane" && crane.load == 2 && crane.reach == 9 && crane.crew.isEmpty)
    #expect(
      crane.persistentState.orderedValues == [
        .text("crane"), .null, .number(2), .links([]), .integer(9),
      ] || crane.persistentState.orderedValues[3] == .null
    )
    #expect(crane.persistentState.entity.name == "Crane")
    #expect(crane.persistentState === crane.persistentState)
  }

  @Test func valuesStayTogetherWhicheverLevelIsWritten() {
    let crane = Crane(reach: 9)
    crane.name = "a"
    let state = crane.persistentState
    crane.name = "b"
    crane.load = 3
    crane.reach = 1
    #expect(state.orderedValues[0] == .text("b"))
    #expect(state.orderedValues[2] == .number(3) && state.orderedValues[4] == .integer(1))
    #expect((crane as Machine).label == "<b>" && (crane as any Named).name == "b")
  }

  @Test func relationshipsOfEveryLevelAreKept() {
    let crane = Crane(reach: 9)
    let node = Node(name: "n")
    crane.operator1 = node
    crane.crew = [node]
    #expect(crane.operator1 === node && crane.crew == [node])
  }

  @Test func observedTransientPropertiesAreInherited() {
    let crane = Crane(reach: 9)
    crane.isRunning = true
    #expect(crane.isRunning)
  }

  @Test func keyPathsOfEveryClassAreKnown() {
    let machine = ModelDescription.of(Machine.self)
    #expect(machine.slot(of: \Machine.name) == 0)
    let truck = ModelDescription.of(Truck.self)
    #expect(truck.slot(of: \Truck.name) == 0 && truck.slot(of: \Truck.load) == 2)
    let crane = ModelDescription.of(Crane.self)
    #expect(crane.slot(of: \Crane.name) == 0 && crane.slot(of: \Crane.load) == 2)
    #expect(crane.slot(of: \Crane.crew) == 3 && crane.slot(of: \Crane.reach) == 4)
    #expect(ModelDescription.of(Bus.self).slot(of: \Bus.wheels) == 0)
    #expect(ModelDescription.of(Bus.self).slot(of: \Bus.seats) == 4)
  }

  @Test func metadataNamesInheritedPropertiesFirst() {
    let names = ModelDescription.of(Crane.self).entity.fields.map(\.name)
    #expect(names == ["name", "operator1", "load", "crew", "reach"])
  }

  @Test func constraintsAreInherited() {
    #expect(ModelDescription.of(Machine.self).entity.uniquenessConstraints == [["name"]])
    let expected = [["name"], ["name", "load"]]
    #expect(ModelDescription.of(Truck.self).entity.uniquenessConstraints == expected)
    #expect(ModelDescription.of(Crane.self).entity.uniquenessConstraints == expected)
  }

  @Test func aClassBelowAModelThatIsNoneIsAnObjectOfTheModel() {
    let machine = NamelessMachine(name: "n")
    #expect(machine.name == "n" && machine.extra == 1)
    #expect(machine.persistentState.entity.name == "Machine")
  }

  @Test func aSubclassOfAnotherModuleHasOneState() throws {
    let bus = Bus(seats: 40)
    bus.wheels = 6
    bus.plate = "p"
    let owner = Owner(name: "Ada")
    bus.owner = owner
    #expect(bus.wheels == 6 && bus.seats == 40 && bus.plate == "p")
    #expect(owner.vehicles == [bus])

    let container = try ModelContainer(
      for: Schema([Vehicle.self, Bus.self, Owner.self]),
      configurations: ReferenceStoreConfiguration()
    )
    let context = ModelContext(container)
    context.insert(bus)
    try context.save()
    let vehicles = try ModelContext(container).fetch(FetchDescriptor<Vehicle>())
    #expect(vehicles.compactMap { ($0 as? Bus)?.seats } == [40])
    #expect(vehicles.first?.owner?.name == "Ada")
  }
}
