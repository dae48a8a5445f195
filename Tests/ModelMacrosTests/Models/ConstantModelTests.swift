import ConstantModels
import Foundation
import SwiftData
import Testing

/// Constants of models in Swift 5 mode are persisted like variables.
@Suite struct ConstantModelTests {
  @Test func aConstantIsSavedAndRead() throws {
    let container = try ModelContainer(
      for: Ticket.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let issued = Date(timeIntervalSince1970: 1_000_000)
    context.insert(Ticket(code: "A1", issued: issued, holder: "Ann"))
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Ticket>(predicate: #Predicate { $0.code == "A1" })
    )
    #expect(found.map(\.code) == ["A1"] && found.map(\.issued) == [issued])
    #expect(container.schema.entitiesByName["Ticket"]?.attributesByName["code"] != nil)
  }
}
