import Foundation

/// The fetch of a `ResultsObserver` and its division into sections.
struct ResultsRequest<Element: PersistentModel, SectionTitle: Hashable> {
  var descriptor: FetchDescriptor<Element>
  var sectionBy: (any KeyPath<Element, SectionTitle> & Sendable)?
  /// Creates the sort order of the sections.
  let sectionOrder: (any KeyPath<Element, SectionTitle> & Sendable) -> SortDescriptor<Element>?

  /// The number of models read at a time.
  private static var batchSize: Int { 128 }

  /// Fetches identifiers; models are read later.
  ///
  /// - Complexity: The cost of the store, plus O(n) for sections.
  func perform(in context: ModelContext) throws -> ObservedResults<Element, SectionTitle> {
    guard let sectionBy else {
      return ObservedResults(collection(try context.fetchIdentifiers(descriptor), context))
    }
    var sorted = descriptor
    if let order = sectionOrder(sectionBy), sorted.sortBy.first?.keyPath != sectionBy {
      sorted.sortBy.insert(order, at: 0)
    }
    if let found = try titledIdentifiers(sorted, sectionBy, context) {
      let results = collection(found.map(\.identifier), context)
      return ObservedResults(results, titles: found.map(\.title))
    }
    let results = collection(try context.fetchIdentifiers(sorted), context)
    return ObservedResults(results, titles: results.map { $0[keyPath: sectionBy] })
  }

  private func collection(_ identifiers: [PersistentIdentifier], _ context: ModelContext)
    -> FetchResultsCollection<Element>
  {
    FetchResultsCollection(identifiers: identifiers, batchSize: Self.batchSize, context: context)
  }

  /// The identifiers with their section titles, without creating models.
  ///
  /// Nil if the titles are not stored values of one entity, or the store does not filter and sort.
  private func titledIdentifiers(
    _ descriptor: FetchDescriptor<Element>,
    _ sectionBy: KeyPath<Element, SectionTitle>,
    _ context: ModelContext
  ) throws -> [(identifier: PersistentIdentifier, title: SectionTitle)]? {
    guard Element.self != Record.self, descriptor.includePendingChanges,
      let type = SectionTitle.self as? any AttributeValue.Type
    else { return nil }
    let description: ModelDescription = .of(Element.self)
    guard let slot = description.slot(of: sectionBy),
      context.schema.entitiesByName[description.entity.name]?.orderedSubentities.isEmpty ?? false
    else { return nil }
    do {
      var query = try descriptor.query(in: context.schema)
      query.attributes = [description.entity.fields[slot].name]
      let snapshots = try context.fetchSnapshots(matching: query)
      let titled = snapshots.compactMap { snapshot in
        (type.init(snapshot.orderedValues[0]) as? SectionTitle).map {
          (identifier: snapshot.persistentIdentifier, title: $0)
        }
      }
      return titled.count == snapshots.count ? titled : nil
    } catch is DataStoreError {
      return nil
    }
  }
}

/// Fetched results and their division into sections.
struct ObservedResults<Element: PersistentModel, SectionTitle: Hashable> {
  let results: FetchResultsCollection<Element>
  let sections: SectionedResults<Element, SectionTitle>?
  private let places = Places()

  /// The indexes of the models, computed on first use.
  private final class Places {
    var byIdentifier: [PersistentIdentifier: Int]?
  }

  init(_ results: FetchResultsCollection<Element>) {
    self.results = results
    sections = nil
  }

  init(_ results: FetchResultsCollection<Element>, titles: [SectionTitle]) {
    self.results = results
    sections = SectionedResults(results, titles: titles)
  }

  /// The index of the result at section and item; nil if there is none.
  func place(of indexPath: IndexPath) -> Int? {
    guard let item = indexPath.last, item >= 0, (1...2).contains(indexPath.count) else {
      return nil
    }
    guard let sections else {
      guard indexPath.count == 1 || indexPath[0] == 0 else { return nil }
      return results.indices.contains(item) ? item : nil
    }
    guard indexPath.count == 2, sections.indices.contains(indexPath[0]) else { return nil }
    let range = sections.range(of: indexPath[0])
    return item < range.count ? range.lowerBound + item : nil
  }

  func indexPath(of identifier: PersistentIdentifier) -> IndexPath? {
    guard let place = place(of: identifier) else { return nil }
    guard let sections else { return IndexPath(indexes: [0, place]) }
    let section = sections.section(of: place)
    return IndexPath(indexes: [section, place - sections.range(of: section).lowerBound])
  }

  private func place(of identifier: PersistentIdentifier) -> Int? {
    if let known = places.byIdentifier { return known[identifier] }
    let made = Dictionary(
      results.identifiers.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    places.byIdentifier = made
    return made[identifier]
  }
}
