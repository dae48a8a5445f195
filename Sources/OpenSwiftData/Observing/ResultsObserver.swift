public import Foundation
public import Observation

/// The results of a fetch, kept up to date while the context changes and others save.
///
/// Results are fetched again when they are read after a change, not at the change itself: a thousand
/// insertions cost one fetch. Whoever observes `results` or `sections` is told at the first change.
///
/// Belongs to the thread (or actor) of its context. Saves of other contexts arrive by themselves for the
/// main context, for the context of a `ModelActor`, and where `isolation` names an actor; elsewhere they
/// arrive with the next use of the context.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The context that is fetched from.
  public let modelContext: ModelContext
  /// Why the last fetch failed, which left the results as they were; nil when it worked.
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
  }

  // MARK: Results

  /// The models in order; models are read when they are looked at.
  public var results: FetchResultsCollection<Element> {
    registrar.access(self, keyPath: \.results)
    return upToDate.results
  }

  /// The models in sections; nil when there are none.
  public var sections: SectionedResults<Element, SectionTitle>? {
    registrar.access(self, keyPath: \.sections)
    return upToDate.sections
  }

  /// The model at a place: section and item, or item alone when there are no sections.
  public func element(at indexPath: IndexPath) -> Element? {
    registrar.access(self, keyPath: \.results)
    return upToDate.place(of: indexPath).map { current.results[$0] }
  }

  /// The place of a model: section and item, section 0 when there are none; nil when it is not among
  /// the results.
  ///
  /// - Complexity: O(n) for the first model after a change, then O(log number of sections).
  public func indexPath(for element: Element) -> IndexPath? {
    registrar.access(self, keyPath: \.results)
    _ = upToDate
    return current.indexPath(of: element.persistentModelID)
  }

  // MARK: Request

  /// What is fetched.
  public var fetchDescriptor: FetchDescriptor<Element> {
    get { request.descriptor }
    set {
      request.descriptor = newValue
      invalidate()
    }
  }

  /// Which models; nil for all.
  public var filterBy: Predicate<Element>? {
    get { request.descriptor.predicate }
    set {
      request.descriptor.predicate = newValue
      invalidate()
    }
  }

  /// In which order, within sections where there are any.
  public var sortBy: [SortDescriptor<Element>] {
    get { request.descriptor.sortBy }
    set {
      request.descriptor.sortBy = newValue
      invalidate()
    }
  }

  /// What the sections are made by; nil for none.
  public var sectionBy: (any KeyPath<Element, SectionTitle> & Sendable)? {
    get { request.sectionBy }
    set {
      request.sectionBy = newValue
      invalidate()
    }
  }

  // MARK: Refreshing

  /// Has everything fetched again when it is next read.
  private func invalidate() {
    guard !isStale else { return }
    registrar.willSet(self, keyPath: \.results)
    registrar.willSet(self, keyPath: \.sections)
    isStale = true
    registrar.didSet(self, keyPath: \.results)
    registrar.didSet(self, keyPath: \.sections)
  }

  private var upToDate: ObservedResults<Element, SectionTitle> {
    modelContext.mergePendingExternalChanges()
    guard isStale else { return current }
    do {
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
  /// Has saves of other contexts taken in on the actor as soon as they happen, unless the context has
  /// a thread or an executor of its own.
  func wake(on isolation: any Actor) {
    guard case .nobody = confinement.owner else { return }
    let context = UncheckedContext(self)
    surroundings.mailbox.setWake {
      Task { await context.tick(isolation: isolation) }
    }
  }
}

extension UncheckedContext {
  fileprivate func tick(isolation: isolated any Actor) { value?.tick() }
}
