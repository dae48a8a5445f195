import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// If a store violates the contract, an error names it, and the context keeps its changes.
@Suite struct StoreFaultTests {
  private func context(_ flaw: ShelfFlaw?) throws -> (ModelContext, ShelfStore) {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: ShelfConfiguration(flaw: flaw)
    )
    return (ModelContext(container), try #require(container.stores.first as? ShelfStore))
  }

  @Test(arguments: [
    (
      ShelfFlaw.leavesTemporaryIdentifiers,
      "assigned no permanent identifier to t\\d+ of Journey; "
        + "call assignPermanentIdentifiers\\(for:\\) of the request"
    ),
    (.remapsToTemporary, "assigned the temporary identifier t\\d+ to t\\d+ of Journey"),
    (.remapsTwice, "assigned the identifier .* to t\\d+ of Journey, but another .*"),
    (.remapsStrangers, "assigned an identifier to t\\d+ of Journey, which was not inserted"),
    (.remapsToAnotherEntity, "assigned a Leg identifier to t\\d+ of Journey"),
  ])
  func aBadRemappingIsAnErrorAndChangesNothing(_ flaw: ShelfFlaw, _ message: String) throws {
    let (context, store) = try context(flaw)
    let journeys = [Journey("Alps"), Journey("Bern")]
    for journey in journeys { context.insert(journey) }
    for _ in 0..<2 {
      let error = #expect(throws: PersistenceError.self) { try context.save() }
      #expect(error?.code == .storeViolation)
      let expected = try Regex("store shelf: \(message)")
      #expect(try expected.wholeMatch(in: error?.message ?? "") != nil, "\(error?.message ?? "")")
      #expect(context.hasChanges && context.insertedModelsArray.count == 2)
      #expect(journeys.allSatisfy { $0.persistentModelID.storeIdentifier == nil })
      if flaw == .leavesTemporaryIdentifiers {
        #expect(store.shelf.isEmpty, "what was left behind is taken out again")
        #expect(try context.names() == ["Alps", "Bern"])
      }
    }
  }

  @Test func anIdentifierThatIsTakenIsNotGivenAgain() throws {
    let (context, store) = try context(.takesAUsedIdentifier)
    try context.insertJourneys(["Alps"])
    let first = try #require(try context.fetch(FetchDescriptor<Journey>()).first)
    let kept = store.shelf
    first.days = 9
    context.insert(Journey("Bern"))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.message.contains("but another record of the same save has it too") == true)
    #expect(context.hasChanges && first.days == 9)
    #expect(kept.keys.allSatisfy { store.shelf[$0] != nil }, "nothing else is deleted")
  }

  @Test(arguments: [
    (ShelfFlaw.answersTwice, "store shelf: returned duplicate Journey record .*"),
    (
      .answersUnknownEntity,
      "store shelf: returned record 1 of unknown entity \"Ghost\""
    ),
    (
      .answersTemporary,
      "store shelf: returned the temporary identifier t\\d+ of Journey; .*"
    ),
    (
      .wrongKind,
      "store shelf: Journey.days: \"many\" is not a valid integer .*"
    ),
    (.missingValue, "store shelf: Journey.name: a value is required .*"),
  ])
  func aBadAnswerIsAnErrorWithNames(_ flaw: ShelfFlaw, _ message: String) throws {
    let (context, _) = try context(flaw)
    try context.insertJourneys(["Alps"])
    context.insert(Journey("unsaved"))
    let expected = try Regex(message)
    func check(_ body: () throws -> Void) throws {
      let error = #expect(throws: PersistenceError.self) { try body() }
      #expect(error?.code == .storeViolation)
      #expect(try expected.wholeMatch(in: error?.message ?? "") != nil, "\(error?.message ?? "")")
    }
    try check { _ = try context.fetch(FetchDescriptor<Journey>()) }
    try check {
      _ = try context.fetchSnapshots(matching: Query("Journey", sort: [SortKey("name")]))
    }
    #expect(context.insertedModelsArray.count == 1)
  }

  @Test func whatAStoreThrowsComesThroughAndTheEditsStay() throws {
    let (context, _) = try context(.failsToSave)
    context.insert(Journey("Alps"))
    #expect(throws: ShelfError.full) { try context.save() }
    #expect(try context.names() == ["Alps"])
    #expect(context.hasChanges)
    let (other, _) = try self.context(.failsToFetch)
    other.insert(Journey("Alps"))
    #expect(throws: DataStoreError.unsupportedFeature) { try other.names() }
    #expect(other.hasChanges)
  }

  @Test func linksThatWereNeverMadePermanentLeadNowhere() throws {
    let (context, store) = try context(nil)
    try context.insertJourneys(["Alps"])
    let (identifier, snapshot) = try #require(store.shelf.first)
    var broken = snapshot
    let slot = try #require(broken.layout.slot(of: "legs"))
    broken.orderedValues[slot] = .links([Leg("x").persistentModelID])
    store.shelf[identifier] = broken
    let again = ModelContext(context.container)
    let journey = try #require(try again.fetch(FetchDescriptor<Journey>()).first)
    #expect(journey.legs.isEmpty && journey.name == "Alps")
  }
}
