import OpenSwiftData
import Testing

/// A number that registers the undo of its changes.
private final class Counter {
  let manager: UndoManager
  private(set) var value = 0

  init(_ manager: UndoManager) { self.manager = manager }

  func add(_ amount: Int) {
    value += amount
    manager.registerUndo(withTarget: self) { $0.add(-amount) }
  }
}

@Suite struct UndoManagerTests {
  private let manager = UndoManager()
  private let counter: Counter

  init() { counter = Counter(manager) }

  @Test func eachRegistrationOutsideAGroupIsTakenBackAlone() {
    counter.add(1)
    counter.add(2)
    #expect(manager.canUndo && !manager.canRedo && manager.undoCount == 2)
    manager.undo()
    #expect(counter.value == 1 && manager.canRedo)
    manager.undo()
    #expect(counter.value == 0 && !manager.canUndo)
    manager.redo()
    manager.redo()
    #expect(counter.value == 3 && !manager.canRedo)
  }

  @Test func aGroupIsTakenBackAtOnceAndInReverse() {
    var order: [Int] = []
    manager.beginUndoGrouping()
    for number in 0..<3 {
      manager.registerUndo(withTarget: counter) { _ in order.append(number) }
    }
    manager.endUndoGrouping()
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(order == [2, 1, 0])
  }

  @Test func groupsWithinGroupsCanBeTakenBackAlone() {
    manager.beginUndoGrouping()
    counter.add(1)
    manager.beginUndoGrouping()
    counter.add(10)
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 1)
    manager.undoNestedGroup()
    #expect(counter.value == 1)
    manager.endUndoGrouping()
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test func undoEndsTheGroupsThatAreOpen() {
    manager.beginUndoGrouping()
    manager.beginUndoGrouping()
    counter.add(5)
    manager.undo()
    #expect(counter.value == 0 && manager.groupingLevel == 0)
  }

  @Test func anEmptyGroupLeavesNothingBehind() {
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    manager.endUndoGrouping()
    #expect(!manager.canUndo)
  }

  @Test func somethingNewForgetsWhatCouldBeDoneAgain() {
    counter.add(1)
    manager.undo()
    counter.add(2)
    #expect(!manager.canRedo)
  }

  @Test func onlySoManyLevelsAreKept() {
    manager.levelsOfUndo = 2
    for _ in 0..<5 { counter.add(1) }
    while manager.canUndo { manager.undo() }
    #expect(counter.value == 3)
    manager.levelsOfUndo = 1
    #expect(manager.redoCount == 1)
  }

  @Test func namesGoAlongWithTheirActions() {
    counter.add(1)
    manager.setActionName("add one")
    #expect(manager.undoActionName == "add one" && manager.undoMenuItemTitle == "Undo add one")
    manager.undo()
    #expect(manager.undoActionName.isEmpty && manager.redoMenuItemTitle == "Redo add one")
    manager.redo()
    #expect(manager.undoActionName == "add one")
  }

  @Test func whatIsDisabledIsNotRegistered() {
    manager.disableUndoRegistration()
    counter.add(1)
    manager.enableUndoRegistration()
    manager.enableUndoRegistration()
    #expect(manager.isUndoRegistrationEnabled && !manager.canUndo)
    counter.add(1)
    #expect(manager.canUndo)
  }

  @Test func targetsAreNotHeldAndCanBeForgotten() {
    var other: Counter? = Counter(manager)
    other?.add(1)
    other = nil
    counter.add(1)
    manager.removeAllActions(withTarget: counter)
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(!manager.canRedo && counter.value == 1)
    counter.add(1)
    manager.removeAllActions()
    #expect(!manager.canUndo)
  }
}
