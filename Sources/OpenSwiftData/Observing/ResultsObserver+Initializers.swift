public import Foundation

extension ResultsObserver where SectionTitle == Never {
  /// Fetches in the context.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: fetchDescriptor, sectionBy: nil) { _ in nil },
      in: modelContext,
      isolation: isolation
    )
  }

  /// Fetches in the context.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: .init(predicate: filterBy, sortBy: sortBy), sectionBy: nil) { _ in nil },
      in: modelContext,
      isolation: isolation
    )
  }

  /// Fetches in the main context when called on the main actor, otherwise in a new one.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: fetchDescriptor, sectionBy: nil) { _ in nil },
      in: .forObserver(of: modelContainer, isolation: isolation),
      isolation: isolation
    )
  }

  /// Fetches in the main context when called on the main actor, otherwise in a new one.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: .init(predicate: filterBy, sortBy: sortBy), sectionBy: nil) { _ in nil },
      in: .forObserver(of: modelContainer, isolation: isolation),
      isolation: isolation
    )
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Fetches and divides the results into sections in the context.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: any KeyPath<Element, String> & Sendable,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: fetchDescriptor, sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: modelContext,
      isolation: isolation
    )
  }

  /// Fetches and divides the results into sections in the context.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    sectionBy: any KeyPath<Element, String> & Sendable,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: .init(predicate: filterBy, sortBy: sortBy), sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: modelContext,
      isolation: isolation
    )
  }

  /// Fetches and divides the results into sections in the main context when called on the main actor,
  /// otherwise in a new one.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: any KeyPath<Element, String> & Sendable,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: fetchDescriptor, sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: .forObserver(of: modelContainer, isolation: isolation),
      isolation: isolation
    )
  }

  /// Fetches and divides the results into sections in the main context when called on the main actor,
  /// otherwise in a new one.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    sectionBy: any KeyPath<Element, String> & Sendable,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: .init(predicate: filterBy, sortBy: sortBy), sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: .forObserver(of: modelContainer, isolation: isolation),
      isolation: isolation
    )
  }
}

extension ResultsObserver where SectionTitle == String? {
  /// Fetches and divides the results into sections in the context.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: any KeyPath<Element, String?> & Sendable,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: fetchDescriptor, sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: modelContext,
      isolation: isolation
    )
  }

  /// Fetches and divides the results into sections in the context.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    sectionBy: any KeyPath<Element, String?> & Sendable,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: .init(predicate: filterBy, sortBy: sortBy), sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: modelContext,
      isolation: isolation
    )
  }

  /// Fetches and divides the results into sections in the main context when called on the main actor,
  /// otherwise in a new one.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: any KeyPath<Element, String?> & Sendable,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: fetchDescriptor, sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: .forObserver(of: modelContainer, isolation: isolation),
      isolation: isolation
    )
  }

  /// Fetches and divides the results into sections in the main context when called on the main actor,
  /// otherwise in a new one.
  ///
  /// - Throws: The errors of the store.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    sectionBy: any KeyPath<Element, String?> & Sendable,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      .init(descriptor: .init(predicate: filterBy, sortBy: sortBy), sectionBy: sectionBy) {
        SortDescriptor($0, comparator: .lexical)
      },
      in: .forObserver(of: modelContainer, isolation: isolation),
      isolation: isolation
    )
  }
}

extension ModelContext {
  /// The context for an observer that was given a container.
  fileprivate static func forObserver(of container: ModelContainer, isolation: (any Actor)?)
    -> ModelContext
  {
    guard isolation === MainActor.shared else { return ModelContext(container) }
    return MainActor.assumeIsolated { MainContext(value: container.mainContext) }.value
  }

  /// The main context, passed within the main actor.
  private struct MainContext: @unchecked Sendable {
    // Unchecked because it does not leave the main actor: the caller was checked to be on it.
    let value: ModelContext
  }
}
