import DataStoreTesting
import Foundation
import OpenSwiftData
import ServiceStore
import SwiftData
import Testing

@Model
final class Parcel {
  var address: String
  var weight: Int

  init(_ address: String, weight: Int) {
    self.address = address
    self.weight = weight
  }
}

@Suite struct ServiceStoreTests {
  private static let conformance = StoreConformance(
    promises: [.waist, .detectsConflicts],
    rounds: 30,
    queryStride: 7,
    isLasting: true,
    makeConfiguration: { try FakeServer(schema: $0).configuration($0) }
  )

  @Test(arguments: StoreConformance.cases)
  func keepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.conformance.findings(of: testCase) == [])
  }

  private let server: FakeServer

  init() throws { server = try FakeServer(schema: Schema([Parcel.self])) }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Parcel.self, configurations: server.configuration())
    )
  }

  @Test func theServerFindsWhatItCan() throws {
    let context = try open()
    for number in 1...20 { context.insert(Parcel("Street \(number)", weight: number)) }
    try context.save()
    let heavy = FetchDescriptor<Parcel>(
      predicate: #Predicate { $0.weight > 15 && $0.address.contains("8") }
    )
    let found = try open().fetch(heavy)
    #expect(found.map(\.address) == ["Street 18"])
    #expect(server.requests.filter { $0 == "/query" }.count == 1)
  }

  @Test func changesOfOtherClientsAreMergedAndReported() throws {
    let (here, there) = (try open(), try open())
    here.insert(Parcel("Main Street", weight: 3))
    try here.save()
    let mine = try #require(try here.fetch(FetchDescriptor<Parcel>()).first)
    let theirs = try #require(try there.fetch(FetchDescriptor<Parcel>()).first)
    theirs.weight = 5
    try there.save()
    mine.address = "Side Street"
    try here.save()
    try here.container.refresh()
    let found = try here.fetch(FetchDescriptor<Parcel>())
    #expect(found.map(\.address) == ["Side Street"] && found.map(\.weight) == [5])
    let history = try here.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.isExternal) == [false, false, true])
    theirs.address = "Back Street"
    #expect(throws: PersistenceError.self) { try there.save() }
  }
}
