public import Foundation
public import Observation

/// The results of a fetch, updated when the context changes or other contexts save.
///
/// Results are fetched again on the next read after a change, not at the change itself: a thousand insertions
/// cost one fetch. Observers of `results` or `sections` are notified at the first change.
///
/// Belongs to the thread (or actor) of its context. Saves of other contexts are merged automatically for the
/// main context, for the context of a `ModelActor`, and if `isolation` names an actor; otherwise with the
/// next use of the context.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The context that is fetched from.
  public let modelContext: ModelContext
  /// The error of the last fetch, which left the results unchanged; nil if it succeeded.
  public private(set) var fetchError: (any Error)?

  private var request: ResultsRequest<Element, SectionTitle>
  private var current: ObservedResults<Element, SectionTitle>
  private var isStale = false
  private let registrar = ObservationRegistrar()

  init(
    _ request: ResultsRequest<Element, SectionTitle>,
    in modelContext: ModelContext,
    isolation: isolated (any Actor)?
  ) throws {
    self.modelContext = modelContext
    self.request = request
    current = try request.perform(in: modelContext)
    modelContext.surroundings.add(self)
    if let isolation { modelContext.wake(on: isolation) }
    modelContext.container.startWatching()
  }

  // MARK: Results

  /// The models in order; each is read on first access.
  public var results: FetchResultsCollection<Element> {
    registrar.access(self, keyPath: \.results)
    return upToDate.results
  }

  /// The models in sections; nil if there are no sections.
  public var sections: SectionedResults<Element, SectionTitle>? {
    registrar.access(self, keyPath: \.sections)
    return upToDate.sections
  }

  /// The model at an index path: section and item, or only item if there are no sections.
  public func element(at indexPath: IndexPath) -> Element? {
    registrar.access(self, keyPath: \.results)
    return upToDate.place(of: indexPath).map { current.results[$0] }
  }

  /// The index path of a model; nil if it is not among the results.
  ///
  /// It consists of section and item; the section is 0 if there are no sections.
  ///
  /// - Complexity: O(n) for the first model after a change, then O(log number of sections).
  public func indexPath(for element: Element) -> IndexPath? {
    registrar.access(self, keyPath: \.results)
    _ = upToDate
    return current.indexPath(of: element.persistentModelID)
  }

  // MARK: Request

  /// The description of the fetch.
  public var fetchDescriptor: FetchDescriptor<Element> {
    get { request.descriptor }
    set {
      request.descriptor = newValue
      invalidate()
    }
  }

  /// Selects the models; nil for all.
  public var filterBy: Predicate<Element>? {
    get { request.descriptor.predicate }
    set {
      request.descriptor.predicate = newValue
      invalidate()
    }
  }

  /// The sort order, within sections if there are any.
  public var sortBy: [SortDescriptor<Element>] {
    get { request.descriptor.sortBy }
    set {
      request.descriptor.sortBy = newValue
      invalidate()
    }
  }

  /// The property that determines the sections; nil for none.
  public var sectionBy: (any KeyPath<Element, SectionTitle> & Sendable)? {
    get { request.sectionBy }
    set {
      request.sectionBy = newValue
      invalidate()
    }
  }

  // MARK: Refreshing

  /// Marks the results to be fetched again on the next read.
  private func invalidate() {
    guard !isStale else { return }
    registrar.willSet(self, keyPath: \.results)
    registrar.willSet(self, keyPath: \.sections)
    isStale = true
    registrar.didSet(self, keyPath: \.results)
    registrar.didSet(self, keyPath: \.sections)
  }

  private var upToDate: ObservedResults<Element, SectionTitle> {
    modelContext.merging.mergeChanges()
    guard isStale else { return current }
    do {
      try modelContext.surroundings.checkStores()
      current = try request.perform(in: modelContext)
      fetchError = nil
    } catch {
      fetchError = error
    }
    isStale = false
    modelContext.surroundings.isArmed = true
    return current
  }
}

extension ResultsObserver: ContextObserver {
  func contextDidChange() { invalidate() }
}

extension ModelContext {
  /// Merges saves of other contexts on the actor as soon as they happen.
  ///
  /// Does nothing if the context has its own thread or executor.
  func wake(on isolation: any Actor) {
    guard case .nobody = confinement.owner else { return }
    let context = UncheckedContext(self)
    surroundings.inbox.setWake {
      Task { await context.tick(isolation: isolation) }
    }
  }
}

extension UncheckedContext {
  fileprivate func tick(isolation: isolated any Actor) { value?.tick() }
}
