import DataStoreTesting
import Foundation
import RevisionStore
import SwiftData
import Testing

@Model
final class Trip {
  var name: String
  var days: Int

  init(_ name: String, days: Int) {
    self.name = name
    self.days = days
  }
}

@Suite struct RevisionStoreTests {
  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "revisions-\(UUID())")

  private static let conformance = StoreConformance(
    promises: [.order, .untypedRecords, .exactMoments, .infiniteNumbers, .detectsConflicts],
    rounds: 40,
    queryStride: 5,
    isLasting: true,
    makeConfiguration: { schema in
      RevisionStoreConfiguration(
        schema: schema,
        fileURL: folder.appending(path: "\(UUID()).json")
      )
    }
  )

  @Test(arguments: StoreConformance.cases)
  func keepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.conformance.findings(of: testCase) == [])
  }

  private func open(_ url: URL) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Trip.self,
        configurations: RevisionStoreConfiguration(fileURL: url)
      )
    )
  }

  @Test func twoProgramsDoNotOverwriteEachOther() throws {
    let url = Self.folder.appending(path: "\(UUID()).json")
    let (here, there) = (try open(url), try open(url))
    here.insert(Trip("Alps", days: 3))
    try here.save()
    let mine = try #require(try here.fetch(FetchDescriptor<Trip>()).first)
    let theirs = try #require(try there.fetch(FetchDescriptor<Trip>()).first)
    theirs.days = 5
    try there.save()
    mine.name = "High Alps"
    try here.save()
    #expect(mine.days == 5 && mine.name == "High Alps")
    theirs.days = 6
    mine.days = 7
    try here.save()
    #expect(throws: (any Error).self) { try there.save() }
  }
}
