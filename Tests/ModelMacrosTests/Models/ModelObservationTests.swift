import DataStoreTesting
import Observation
import SwiftData
import Synchronization
import Testing

/// Readers of a property are notified when it changes.
@Suite struct ModelObservationTests {
  /// True when an observer of the properties that `read` reads is notified of the change.
  private func isTold(reading read: () -> Void, changing change: () -> Void) -> Bool {
    let told = Atomic(false)
    withObservationTracking(read) { told.store(true, ordering: .relaxed) }
    change()
    return told.load(ordering: .relaxed)
  }

  @Test func attributesAreObserved() {
    let shape = Shape(name: "a")
    #expect(isTold(reading: { _ = shape.name }, changing: { shape.name = "b" }))
    #expect(!isTold(reading: { _ = shape.name }, changing: { shape.count = 1 }))
  }

  @Test func transientPropertiesAreObserved() {
    let shape = Shape(name: "a")
    #expect(isTold(reading: { _ = shape.note }, changing: { shape.note = "b" }))
    #expect(!isTold(reading: { _ = shape.mark }, changing: { shape.note = "c" }))
  }

  @Test func computedPropertiesAreObservedThroughWhatTheyRead() {
    let shape = Shape(name: "a")
    #expect(isTold(reading: { _ = shape.computed }, changing: { shape.name = "b" }))
  }

  @Test func relationshipsAreObservedOnBothSides() {
    let root = Node(name: "root")
    let child = Node(name: "child")
    #expect(isTold(reading: { _ = child.parent }, changing: { child.parent = root }))
    #expect(isTold(reading: { _ = root.children }, changing: { child.parent = nil }))
  }

  @Test func inheritedAttributesAreObserved() {
    let crane = Crane(reach: 1)
    #expect(isTold(reading: { _ = crane.name }, changing: { crane.name = "b" }))
    #expect(isTold(reading: { _ = crane.load }, changing: { crane.load = 5 }))
    #expect(isTold(reading: { _ = crane.reach }, changing: { crane.reach = 5 }))
  }

  @Test func observersOfEveryLevelStayWhenTheObjectIsFirstUsed() {
    let crane = Crane(reach: 1)
    let told = isTold(
      reading: { _ = (crane.name, crane.reach) },
      changing: {
        _ = crane.persistentState
        crane.name = "b"
      }
    )
    #expect(told)
    let reached = Crane(reach: 1)
    let toldAgain = isTold(
      reading: { _ = (reached.name, reached.reach) },
      changing: {
        _ = reached.persistentState
        reached.reach = 2
      }
    )
    #expect(toldAgain)
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema([Machine.self, Truck.self, Crane.self, Node.self]),
        configurations: ReferenceStoreConfiguration()
      )
    )
  }

  @Test func rollbackIsObserved() throws {
    let context = try context()
    let node = Node(name: "a")
    context.insert(node)
    try context.save()
    node.name = "b"
    #expect(isTold(reading: { _ = node.name }, changing: { context.rollback() }))
    #expect(node.name == "a")
  }

  @Test func rollbackOfInheritedAttributesIsObserved() throws {
    let context = try context()
    let crane = Crane(reach: 1)
    context.insert(crane)
    try context.save()
    crane.name = "b"
    #expect(isTold(reading: { _ = crane.name }, changing: { context.rollback() }))
    #expect(crane.name == "crane")
  }
}
