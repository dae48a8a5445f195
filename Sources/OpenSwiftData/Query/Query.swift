package import Foundation

/// One key of a sort order.
public struct SortKey: Hashable, Sendable {
  /// The attribute whose values are compared.
  public var attribute: String
  /// True when larger values come first.
  public var isDescending: Bool
  /// True when records without a value come first; by default they come last in both directions.
  public var nullsFirst: Bool

  /// Creates a key.
  public init(_ attribute: String, isDescending: Bool = false, nullsFirst: Bool = false) {
    self.attribute = attribute
    self.isDescending = isDescending
    self.nullsFirst = nullsFirst
  }

  /// The order of two values under this key.
  package func compare(_ left: Value, _ right: Value) -> ComparisonResult {
    if left.isNull || right.isNull {
      if left.isNull == right.isNull { return .orderedSame }
      return left.isNull == nullsFirst ? .orderedAscending : .orderedDescending
    }
    let order = left.compare(right)
    return isDescending ? order.reversed : order
  }
}

/// A request for records of one entity.
///
/// A query is what a store receives; contexts make it from a ``FetchDescriptor``. Code without model classes uses it
/// directly:
///
/// ```swift
/// let query = Query(
///   "Film",
///   filter: .compare("year", .greaterOrEqual, .integer(2000)),
///   sort: [SortKey("year", isDescending: true), SortKey("title")],
///   limit: 20
/// )
/// let snapshots = try context.fetchSnapshots(matching: query)
/// ```
///
/// Records with equal sort keys, or without sort keys, have the store's own order: by creation, or as in the file.
///
/// **Threads.** A query is a value and can be sent anywhere.
///
/// **Errors.** `validate(for:)` and every fetch throw a ``PersistenceError`` for an unknown field, or for a filter that
/// does not match the type of a field.
public struct Query: Hashable, Sendable {
  /// The entity whose records are requested.
  public var entityName: String
  /// Selects the records.
  public var filter: Filter
  /// The sort keys, the most significant first.
  public var sort: [SortKey]
  /// The maximum number of records; nil for all.
  public var limit: Int?
  /// The number of records to skip at the start.
  public var offset: Int
  /// The attributes whose values are requested, in this order; nil for all.
  public var attributes: [String]?

  /// Creates a query.
  public init(
    _ entityName: String,
    filter: Filter = .all,
    sort: [SortKey] = [],
    limit: Int? = nil,
    offset: Int = 0,
    attributes: [String]? = nil
  ) {
    self.entityName = entityName
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.attributes = attributes
  }

  /// Checks names, types and numbers against the entity; blobs cannot be sorted by.
  ///
  /// - Throws: `PersistenceError`.
  public func validate(for entity: Schema.Entity) throws {
    try filter.validate(for: entity)
    for key in sort where try entity.attribute(named: key.attribute).isBlob {
      throw PersistenceError(
        .invalidFilter,
        "\(entity.name).\(key.attribute): bytes have no order; sort by another field"
      )
    }
    for name in attributes ?? [] { _ = try entity.attribute(named: name) }
    guard offset >= 0, limit ?? 0 >= 0 else {
      throw PersistenceError(.invalidFilter, "limit and offset must not be negative")
    }
  }

  /// True if neither limit nor offset excludes a record.
  package var isUnlimited: Bool { limit == nil && offset == 0 }

  /// The query for counting the values of an attribute in all records that match.
  func countingValues(of attribute: String) -> Query {
    Query(entityName, filter: filter, attributes: [attribute])
  }

  /// The layout of the requested attributes; nil for all.
  package var requestedLayout: SnapshotLayout? { attributes.map { SnapshotLayout($0) } }

  /// The range of `count` rows that offset and limit select.
  package func window(of count: Int) -> Range<Int> {
    let start = min(offset, count)
    return start..<(limit.map { start + min($0, count - start) } ?? count)
  }
}

extension Query {
  /// Runs the query over snapshots in memory.
  ///
  /// This is the reference for every store, and the fallback for stores that cannot filter or sort.
  ///
  /// - Parameters:
  ///   - snapshots: The records of the entity, in its layout and in order of creation.
  ///   - entity: The entity of the query.
  /// - Returns: The matching records, in order, within limit and offset.
  /// - Throws: `PersistenceError` with code `.unknownAttribute` for names that the entity does not have.
  /// - Complexity: O(n) tests and O(m log m) comparisons for m matches.
  public func run(over snapshots: [DefaultSnapshot], of entity: Schema.Entity) throws
    -> [DefaultSnapshot]
  {
    let bound = try BoundFilter(filter, layout: entity.layout)
    let counter = WorkCounter(of: snapshots.count)
    var matches = try snapshots.filter {
      try counter.add()
      return bound.matches($0)
    }
    try SnapshotOrder(sort, layout: entity.layout).sort(&matches)
    let window = Array(matches[window(of: matches.count)])
    guard let attributes else { return window }
    let layout = SnapshotLayout(attributes)
    return window.map { $0.arranged(as: layout) }
  }
}

extension Query {
  /// Divides the query into a part that a database or a server answers and a part that runs over the answer.
  ///
  /// For stores that support some conditions:
  ///
  /// ```swift
  /// let parts = query.divided { $0.isSupported }
  /// return try parts.rest.run(over: request(parts.asked), of: entity)
  /// ```
  ///
  /// Order, limit and offset are asked for only if all conditions and the order are supported. All values are asked for.
  ///
  /// - Parameters:
  ///   - supportsOrder: True if the sort keys are supported; a query without keys needs the order of creation.
  ///   - supports: True for a condition that is supported. The conditions that must all match are passed one by one.
  /// - Returns: The query to ask for, and the one to run over the answer.
  public func divided(
    supportsOrder: Bool = true,
    where supports: (Filter) -> Bool
  ) -> (asked: Query, rest: Query) {
    let conditions = filter.conjuncts
    let others = conditions.filter { !supports($0) }
    var (asked, rest) = (self, self)
    asked.attributes = nil
    asked.filter = Filter.conjunction(of: conditions.filter(supports))
    rest.filter = Filter.conjunction(of: others)
    if others.isEmpty, supportsOrder {
      (rest.sort, rest.limit, rest.offset) = ([], nil, 0)
    } else {
      (asked.sort, asked.limit, asked.offset) = ([], nil, 0)
    }
    return (asked, rest)
  }
}

extension Filter {
  /// The conditions that must all match; none for a filter that matches everything.
  fileprivate var conjuncts: [Filter] {
    switch self {
    case .constant(true): []
    case .and(let parts): parts.flatMap(\.conjuncts)
    default: [self]
    }
  }

  fileprivate static func conjunction(of parts: [Filter]) -> Filter {
    parts.count > 1 ? .and(parts) : parts.first ?? .all
  }
}

extension Schema {
  /// The records with these identifiers among those that were found, as `snapshots(for:attributes:)` of a store
  /// returns them.
  ///
  /// - Parameters:
  ///   - identifiers: The identifiers that a store was asked for.
  ///   - records: Records in the layouts of their entities, perhaps more than were asked for.
  ///   - attributes: The attributes that are requested; nil for all.
  /// - Returns: The records by identifier, with the requested attributes.
  /// - Throws: `PersistenceError` with code `.unknownAttribute` for a name that the entity of an identifier does
  ///   not have.
  /// - Complexity: O(n) in the number of records.
  public func lookup(
    _ identifiers: [PersistentIdentifier],
    among records: [DefaultSnapshot],
    attributes: [String]? = nil
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let layout = try layout(of: attributes, for: identifiers)
    let wanted = Set(identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for record in records where wanted.contains(record.persistentIdentifier) {
      found[record.persistentIdentifier] = record.projected(on: layout)
    }
    return found
  }

  /// The layout of records read by identifier with only these attributes; nil for whole records.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute` for a name that the entity of an identifier does
  ///   not have.
  package func layout(of attributes: [String]?, for identifiers: [PersistentIdentifier]) throws
    -> SnapshotLayout?
  {
    guard let attributes else { return nil }
    for name in Set(identifiers.lazy.map(\.entityName)).sorted() {
      guard let entity = entitiesByName[name] else { continue }
      for attribute in attributes { _ = try entity.attribute(named: attribute) }
    }
    return SnapshotLayout(attributes)
  }
}

extension RecordPage {
  /// Calls the body with each record, with the attributes of the layout; nil for all.
  package func forEachSnapshot(
    on layout: SnapshotLayout?,
    _ body: (DefaultSnapshot) throws -> Void
  ) rethrows {
    for snapshot in snapshots { try body(snapshot.projected(on: layout)) }
  }
}

extension DefaultSnapshot {
  /// The record with only the values of the layout; nil for all values.
  package func projected(on layout: SnapshotLayout?) -> DefaultSnapshot {
    layout.map { arranged(as: $0) } ?? self
  }
}

/// Sort keys bound to the layout of snapshots.
package struct SnapshotOrder {
  private let keys: [(slot: Int, key: SortKey)]

  package init(_ sort: [SortKey], layout: SnapshotLayout) throws {
    keys = try sort.map { key in
      guard let slot = layout.slot(of: key.attribute) else {
        throw PersistenceError(
          .unknownAttribute,
          "unknown field \(Value.quoted(key.attribute)); "
            + Suggestion.text(for: key.attribute, among: layout.names)
        )
      }
      return (slot, key)
    }
  }

  /// The order of two records; `orderedSame` if all keys are equal.
  package func compare(_ left: DefaultSnapshot, _ right: DefaultSnapshot) -> ComparisonResult {
    for (slot, key) in keys {
      let order = key.compare(left.orderedValues[slot], right.orderedValues[slot])
      if order != .orderedSame { return order }
    }
    return .orderedSame
  }

  /// Sorts stably.
  ///
  /// - Throws: `Interruption.Stopped`.
  package func sort(_ snapshots: inout [DefaultSnapshot]) throws {
    guard !keys.isEmpty else { return }
    var meter = WorkMeter()
    let ordered = try snapshots.enumerated().sorted { left, right in
      try meter.count()
      let order = compare(left.element, right.element)
      return order == .orderedSame ? left.offset < right.offset : order == .orderedAscending
    }
    snapshots = ordered.map(\.element)
  }
}

/// Collects snapshots, and keeps only the first ones of their order.
///
/// Most of many snapshots are compared once, with the last of those that are kept.
package struct FirstSnapshots {
  private let order: SnapshotOrder
  private let most: Int
  private var kept: [DefaultSnapshot] = []
  /// The number at the beginning that are in order.
  private var sortedCount = 0

  /// Keeps the first `most` snapshots; all without a number.
  package init(_ most: Int?, in order: SnapshotOrder) {
    precondition(most ?? 0 >= 0, "a number of snapshots is not negative")
    self.most = most ?? .max
    self.order = order
  }

  /// Adds a snapshot, which comes after all equal ones.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(log k) comparisons for k snapshots that are kept; often only one.
  package mutating func add(_ snapshot: DefaultSnapshot) throws {
    guard most > 0 else { return }
    if sortedCount == most, order.compare(snapshot, kept[most - 1]) != .orderedAscending { return }
    kept.append(snapshot)
    if most < Int.max / 2, kept.count >= 2 * most + Self.unsortedCount { try sort() }
  }

  /// The number of snapshots that are always collected before they are sorted.
  private static let unsortedCount = 64

  /// The first snapshots in order.
  ///
  /// - Throws: `Interruption.Stopped`.
  package mutating func sorted() throws -> [DefaultSnapshot] {
    try sort()
    return kept
  }

  /// Sorts stably, and drops what is not among the first ones.
  private mutating func sort() throws {
    try order.sort(&kept)
    if kept.count > most { kept.removeLast(kept.count - most) }
    sortedCount = kept.count
  }
}
