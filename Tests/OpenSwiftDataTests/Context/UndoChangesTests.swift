import Testing

@testable import OpenSwiftData

/// A step with one update is kept in another way than all others.
@Suite struct UndoChangesTests {
  private let layout = SnapshotLayout(["a", "b"])

  private func identifier(_ number: Int) -> PersistentIdentifier {
    IdentifierScope(store: "s", entity: "E").identifier(number: number)
  }

  private func update(_ number: Int, slot: Int = 0, _ old: Int64, _ new: Int64)
    -> UndoStep.Change
  {
    .update(identifier(number), layout, slot: slot, old: .integer(old), new: .integer(new))
  }

  private func words(_ changes: UndoChanges) -> [String] { changes.map { "\($0)" } }

  @Test(arguments: 0...4) func changesComeBackInOrder(count: Int) {
    let all = (0..<count).map { update($0, slot: $0 % 2, Int64($0), $0 < 2 ? 7 : 8) }
    let changes = UndoChanges(all)
    #expect(changes.count == count && changes.isEmpty == (count == 0))
    // Updates of different fields may change places.
    let expected = [0, 1].flatMap { slot in all.enumerated().filter { $0.offset % 2 == slot } }
      .map { "\($0.element)" }
    #expect(words(changes) == expected)
    #expect(words(changes.inverse.inverse) == expected)
    #expect(Set(changes.compactMap(\.identifier)).count == count)
  }

  /// A command sets several fields of one record after the other.
  @Test func alternatingFieldsShareTwoRuns() {
    let count = UndoChanges.partSize + 10
    let all = (0..<count).flatMap {
      [update($0, slot: 0, 1, Int64($0)), update($0, slot: 1, 2, 3)]
    }
    let changes = UndoChanges(all)
    #expect(changes.count == all.count)
    #expect(changes.parts(isInverse: false).reduce(0) { count, _ in count + 1 } == 4)
  }

  @Test func oneUpdateIsReversed() {
    let changes = UndoChanges([update(1, 2, 3)])
    #expect(words(changes.inverse) == ["\(update(1, 3, 2))"])
    #expect(changes.parts(isInverse: true).flatMap(words) == ["\(update(1, 3, 2))"])
    #expect(changes.parts(isInverse: false).flatMap(words) == ["\(update(1, 2, 3))"])
  }

  @Test func stepsAreJoined() {
    var changes = UndoChanges()
    changes.append(UndoChanges([update(1, 2, 3)]))
    changes.append(UndoChanges([update(2, 5, 3)]))
    #expect(words(changes) == ["\(update(1, 2, 3))", "\(update(2, 5, 3))"])
  }
}
