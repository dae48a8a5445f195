import Foundation
import Observation
import OpenSwiftData
import Synchronization
import Testing

@Suite struct ResultsObserverTests {
  let albums: AlbumContainer
  let context: ModelContext

  init() throws {
    albums = try AlbumContainer()
    context = ModelContext(albums.container)
    for (title, year, label) in [("C", 3, "x"), ("A", 1, "y"), ("B", 2, "x"), ("D", 4, "z")] {
      context.insert(Album(title, year: year, label: label))
    }
    try context.save()
  }

  private func counting(_ track: () -> Void) -> Atomic<Int>.Box {
    let box = Atomic<Int>.Box()
    withObservationTracking(track) { box.add() }
    return box
  }

  @Test func resultsFollowTheContext() throws {
    let observer = try ResultsObserver<Album, Never>(
      sortBy: [SortDescriptor(\.title, comparator: .lexical)],
      modelContext: context
    )
    #expect(observer.results.map(\.title) == ["A", "B", "C", "D"] && observer.sections == nil)
    let told = counting { _ = observer.results }
    let new = Album("Aa")
    context.insert(new)
    #expect(told.value == 1)
    #expect(observer.results.map(\.title) == ["A", "Aa", "B", "C", "D"])
    new.title = "Z"
    #expect(observer.results.last === new)
    try context.save()
    #expect(observer.results.last === new)
    context.delete(new)
    #expect(observer.results.count == 4 && observer.fetchError == nil)
  }

  @Test func resultsFollowTheSavesOfOthers() throws {
    let observer = try ResultsObserver<Album, Never>(
      sortBy: [SortDescriptor(\.title, comparator: .lexical)],
      modelContext: context
    )
    let other = ModelContext(albums.container)
    other.insert(Album("E"))
    #expect(observer.results.count == 4)
    try other.save()
    #expect(observer.results.map(\.title) == ["A", "B", "C", "D", "E"])
  }

  @Test func theRequestCanBeChanged() throws {
    let observer = try ResultsObserver<Album, Never>(modelContext: context)
    let told = counting { _ = observer.results }
    observer.sortBy = [SortDescriptor(\.year, order: .reverse)]
    #expect(told.value == 1 && observer.results.map(\.title) == ["D", "C", "B", "A"])
    observer.filterBy = #Predicate { $0.label == "x" }
    #expect(observer.results.map(\.title) == ["C", "B"])
    observer.fetchDescriptor.fetchLimit = 1
    #expect(observer.results.map(\.title) == ["C"])
  }

  @Test func sectionsDivideTheResults() throws {
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.title, comparator: .lexical)],
      sectionBy: \Album.label,
      modelContext: context
    )
    let sections = try #require(observer.sections)
    #expect(sections.map(\.id) == ["x", "y", "z"])
    #expect(sections.map { $0.map(\.title) } == [["B", "C"], ["A"], ["D"]])
    #expect(observer.element(at: IndexPath(indexes: [0, 1]))?.title == "C")
    #expect(observer.element(at: IndexPath(indexes: [2, 1])) == nil)
    #expect(observer.element(at: IndexPath(indexes: [3, 0])) == nil)
    #expect(observer.element(at: IndexPath(indexes: [-1, 0])) == nil)
    for (number, section) in sections.enumerated() {
      for (item, album) in section.enumerated() {
        #expect(observer.indexPath(for: album) == IndexPath(indexes: [number, item]))
      }
    }
    context.insert(Album("E", label: "w"))
    #expect(observer.sections?.map(\.title) == ["w", "x", "y", "z"])
    #expect(observer.indexPath(for: Album("F")) == nil)
  }

  @Test func withoutSectionsAPlaceIsOneNumber() throws {
    let observer = try ResultsObserver<Album, Never>(
      sortBy: [SortDescriptor(\.title, comparator: .lexical)],
      modelContext: context
    )
    #expect(observer.element(at: IndexPath(index: 1))?.title == "B")
    #expect(observer.element(at: IndexPath(indexes: [0, 1]))?.title == "B")
    #expect(observer.element(at: IndexPath(indexes: [1, 1])) == nil)
    #expect(observer.element(at: IndexPath(index: 4)) == nil)
    let last = try #require(observer.results.last)
    #expect(observer.indexPath(for: last) == IndexPath(indexes: [0, 3]))
  }

  @MainActor @Test func onTheMainActorTheMainContextIsObserved() async throws {
    let observer = try ResultsObserver<Album, Never>(modelContainer: albums.container)
    #expect(observer.modelContext === albums.container.mainContext)
    let told = counting { _ = observer.results }
    context.insert(Album("E"))
    try context.save()
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    #expect(told.value == 1 && observer.results.count == 5)
  }
}

extension Atomic where Value == Int {
  /// A counter that any thread can increment.
  final class Box: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }
}
