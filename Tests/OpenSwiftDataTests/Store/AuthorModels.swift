import Foundation
import SwiftData

enum Fare: String, Codable { case single, open }

/// The models that the stores of these tests keep.
@Model
final class Journey {
  @Attribute(.preserveValueOnDeletion) var name: String
  var start: Date
  var days: Int
  var price: Decimal
  var code: UUID
  var note: String?
  @Attribute(.preserveValueOnDeletion) var ticket: Fare
  var tags: [String]
  @Relationship(deleteRule: .cascade, inverse: \Leg.journey) var legs: [Leg] = []
  @Relationship(inverse: \Rider.journeys) var riders: [Rider] = []

  init(_ name: String, days: Int = 1, price: Decimal = 0, note: String? = nil) {
    self.name = name
    self.start = Date(timeIntervalSinceReferenceDate: 700_000_000)
    self.days = days
    self.price = price
    self.code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    self.note = note
    self.ticket = .open
    self.tags = []
  }
}

@Model
final class Leg {
  var place: String
  var journey: Journey?

  init(_ place: String) { self.place = place }
}

@Model
final class Rider {
  var name: String
  var journeys: [Journey] = []

  init(_ name: String) { self.name = name }
}

/// A separate folder for one test.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "authors-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed is left for the system to clean up.
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL { url.appending(path: name) }
}

extension ModelContext {
  func names(_ descriptor: FetchDescriptor<Journey> = FetchDescriptor()) throws -> [String] {
    try fetch(descriptor).map(\.name)
  }

  func insertJourneys(_ names: [String]) throws {
    for (number, name) in names.enumerated() { insert(Journey(name, days: number + 1)) }
    try save()
  }
}
