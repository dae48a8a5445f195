import Foundation
import SwiftData
import Testing

/// Descriptors with a localized text order.
@Suite struct LocalizedSortTests {
  struct Note: Sendable {
    var name: String
    var title: String?
  }

  static let names = ["file10", "C", "b", "file2", "a", "Ä", "File1", "z"]

  @Test func theStandardOrderIsThatOfListsOfFiles() {
    let notes = Self.names.map { Note(name: $0, title: $0) } + [Note(name: "", title: nil)]
    let sorted = notes.sorted(using: SortDescriptor(\Note.name, comparator: .localizedStandard))
    let expected = ([""] + Self.names).sorted {
      $0.localizedStandardCompare($1) == .orderedAscending
    }
    #expect(sorted.map(\.name) == expected)
    #expect(expected.firstIndex(of: "file2") ?? 0 < expected.firstIndex(of: "file10") ?? 0)
    #expect(expected.firstIndex(of: "b") ?? 0 < expected.firstIndex(of: "C") ?? 0)
    let reversed = notes.sorted(
      using: SortDescriptor(\Note.title, comparator: .localizedStandard, order: .reverse)
    )
    #expect(reversed.map(\.title) == expected.dropFirst().reversed() + [nil])
  }

  @Test func aFetchIsSortedSo() throws {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: ShelfConfiguration()
    )
    let context = ModelContext(container)
    try context.insertJourneys(Self.names)
    var descriptor = FetchDescriptor<Journey>(
      sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)]
    )
    let expected = Self.names.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    #expect(try context.names(descriptor) == expected)
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 3
    #expect(try context.names(descriptor) == Array(expected[2..<5]))
  }
}
