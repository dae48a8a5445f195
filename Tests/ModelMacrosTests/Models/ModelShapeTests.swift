import DataStoreTesting
import Foundation
import MainActorModels
import OpenSwiftData
import SwiftData
import SwiftFiveModels
import Testing

/// Classes of all kinds read back what was written, and describe their schema.
@Suite struct ModelShapeTests {
  @Test func aNewModelHoldsItsInitialValues() {
    let shape = Shape(name: "a")
    #expect(shape.name == "a" && shape.code == "x" && shape.count == 3 && shape.ratio == 1)
    #expect(shape.tint == .green && shape.payload == .text("p") && shape.corner == Point(x: 1))
    #expect(shape.default == 4 && shape.choice == nil && shape.spelledOptional == nil)
    #expect(shape.forced == nil && shape.picture == nil && shape.told == "s")
    #expect(shape.note == "fresh" && shape.mark == nil && shape.later == 5 && shape.constant == 6)
    #expect(Shape(numbered: 7).name == "7")
  }

  @Test func attributesReadWhatWasWritten() {
    let shape = Shape(name: "a")
    shape.computed = "b"
    shape.code += "y"
    shape.count += 1
    shape.ratio = .infinity
    shape.tint = .red
    shape.payload = .number(1)
    shape.corner.y = 2
    shape.setDefault(5)
    shape.choice = .red
    shape.spelledOptional = 0
    shape.forced = "f"
    shape.picture = Data([1])
    shape.keepSecret("t")
    #expect(shape.name == "b" && shape.code == "xy" && shape.count == 4 && shape.ratio == .infinity)
    #expect(shape.tint == .red && shape.payload == .number(1) && shape.corner == Point(x: 1, y: 2))
    #expect(shape.default == 5 && shape.choice == .red && shape.spelledOptional == 0)
    #expect(shape.forced == "f" && shape.picture == Data([1]) && shape.told == "t")
  }

  @Test func transientPropertiesKeepTheirOwnStorage() {
    let shape = Shape(name: "a")
    shape.note = "n"
    shape.mark = "m"
    shape.later = 1
    shape.friend = shape
    shape.watched = 1
    #expect(shape.note == "n" && shape.mark == "m" && shape.later == 1 && shape.friend === shape)
    #expect(shape.changes == 1)
    let other = Shape(persistentState: shape.persistentState)
    #expect(other.name == "a" && other.note == "fresh" && other.mark == nil)
  }

  @Test func metadataNamesEveryStoredPropertyInOrder() {
    let properties = Shape.schemaMetadata.filter { !$0.name.hasPrefix("SwiftData.") }
    #expect(
      properties.map(\.name) == [
        "name", "code", "count", "ratio", "tint", "payload", "corner", "default", "choice",
        "spelledOptional", "forced", "picture", "secret",
      ]
    )
    let entity = ModelDescription.of(Shape.self).entity
    #expect(entity.fields.map(\.name) == properties.map(\.name))
    #expect(entity.fields[1].isUnique && entity.fields[1].originalName == "cd")
    #expect(entity.fields[11].originalName == "blob" && entity.fields[11].isOptional)
  }

  @Test func defaultsOfDeclarationsAreDefaultsOfTheEntity() {
    let entity = ModelDescription.of(Shape.self).entity
    let defaults: [String: Value] = Dictionary(
      uniqueKeysWithValues: entity.fields.map { ($0.name, $0.defaultValue) }
    )
    #expect(defaults["code"] == .text("x"))
    #expect(defaults["count"] == .integer(3))
    #expect(defaults["ratio"] == .number(1))
    #expect(defaults["tint"] == .text("green"))
    #expect(defaults["corner"] == .json(#"{"x":1,"y":0}"#))
    #expect(defaults["choice"] == .null)
  }

  @Test func constraintsAndIndexesAreThoseOfTheDeclaration() {
    let entity = ModelDescription.of(Shape.self).entity
    #expect(Set(entity.uniquenessConstraints) == [["code"], ["name", "count"]])
    #expect(entity.indices == [["name"], ["count", "name"]])
  }

  @Test func aModelThatRefersToItselfKeepsBothSides() {
    let root = Node(name: "root")
    let child = Node(name: "child", parent: root)
    #expect(root.children.map(\.name) == ["child"] && child.parent === root)
    root.children.append(Node(name: "second"))
    #expect(root.children.last?.parent === root)
    child.parent = nil
    #expect(root.children.map(\.name) == ["second"])
  }

  @Test func modelsOfEveryVisibilityWork() {
    let place = Garage.Place()
    place.remark = "dry"
    #expect(place.number == 7 && place.remark == "dry")
    #expect(Outer.Inner().value == 1)
    #expect(Outer.hiddenName() == "hidden")
    #expect(!Empty().hasChanges && Empty.schemaMetadata.isEmpty)
    #expect(Schema.entityName(for: Outer.Inner.self) == "Inner")
  }

  @Test func modelsInSwiftFiveModeWork() {
    let vehicle = Vehicle(wheels: 2)
    let owner = Owner(name: "Ada")
    vehicle.owner = owner
    let serial = vehicle.serial
    vehicle.renew()
    #expect(vehicle.wheels == 2 && vehicle.serial != serial && owner.vehicles == [vehicle])
  }

  @Test func modelsOfAModuleOnTheMainActorBelongToNoActor() {
    let reminder = Reminder(title: "call")
    reminder.urgency = .high
    reminder.steps = [Step(title: "dial")]
    reminder.isExpanded = true
    #expect(reminder.title == "call" && reminder.urgency == .high && reminder.isExpanded)
    #expect(reminder.steps.first?.reminder === reminder)
  }

  @Test func modelsReadWhatAnotherContextSaved() throws {
    let types: [any PersistentModel.Type] = [
      Shape.self, Node.self, Garage.Place.self, Reminder.self, Step.self, Empty.self,
    ]
    let container = try ModelContainer(
      for: Schema(types),
      configurations: ReferenceStoreConfiguration()
    )
    let context = ModelContext(container)
    let shape = Shape(name: "a")
    shape.payload = .number(2)
    shape.forced = "f"
    context.insert(shape)
    let reminder = Reminder(title: "call")
    reminder.steps = [Step(title: "dial"), Step(title: "talk")]
    context.insert(reminder)
    context.insert(Empty())
    try context.save()

    let other = ModelContext(container)
    let shapes = try other.fetch(FetchDescriptor<Shape>())
    #expect(shapes.map(\.payload) == [.number(2)] && shapes.map(\.forced) == ["f"])
    let reminders = try other.fetch(FetchDescriptor<Reminder>())
    #expect(reminders.first?.steps.map(\.title) == ["dial", "talk"])
    #expect(try other.fetchCount(FetchDescriptor<Empty>()) == 1)
  }
}
