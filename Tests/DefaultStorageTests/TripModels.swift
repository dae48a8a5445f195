import Foundation
import SwiftData

@Model
final class Trip {
  var name: String
  var start: Date?
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

  init(name: String) { self.name = name }
}

@Model
final class Stop {
  var place: String
  var trip: Trip?

  init(place: String) { self.place = place }
}

@Model
final class Note {
  var text: String

  init(text: String) { self.text = text }
}

/// A separate folder for each test, removed at its end.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "DefaultStorageTests-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed is left for the system to clean up.
    try? FileManager.default.removeItem(at: url)
  }
}
