public import Observation
import Synchronization

/// Counts the saves that somebody is interested in: of certain models, by certain authors.
///
/// Counts what contexts of the container save, and what stores tell of changes by others. Whoever
/// observes `eventCounter` then reads the history. May be used from any thread.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose saves are counted.
  public let modelContainer: ModelContainer
  /// The models whose changes count; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// Whose saves count; empty for everybody's.
  public let authors: Set<String>

  private let entityNames: Set<String>
  private let isolation: (any Actor)?
  private let count: Mutex<Int>
  private let registrar = ObservationRegistrar()

  /// Begins to count.
  ///
  /// - Parameters:
  ///   - historyTokens: Where the history was read last, by the identifiers of stores; what was saved
  ///     since is counted at once. Nil to begin with what comes.
  ///   - observedModels: The models whose changes count, with their subclasses; empty for all.
  ///   - authors: Whose saves count; empty for everybody's.
  ///   - modelContainer: The container.
  ///   - isolation: The actor on which the counter changes; without one, it changes on the thread that
  ///     saves, before the save returns.
  /// - Throws: What a store says about its history.
  public init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    self.isolation = isolation
    let schema = modelContainer.schema
    entityNames = Set(
      observedModels.flatMap { type in
        schema.entitiesByName[type.entityName]?.family.map(\.name) ?? [type.entityName]
      }
    )
    count = Mutex(0)
    modelContainer.hub.join(self)
    guard let historyTokens else { return }
    let past = try modelContainer.changes(since: historyTokens).count { isWanted($0) }
    count.withLock { $0 += past }
  }

  /// How many saves there were that are of interest.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return count.withLock { $0 }
  }

  private func isWanted(_ saved: SavedChanges) -> Bool {
    if !authors.isEmpty {
      guard let author = saved.author else { return saved.isUnknown }
      guard authors.contains(author) else { return false }
    }
    return entityNames.isEmpty || saved.touches(entityNames)
  }

  private func countOne() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      count.withLock { $0 += 1 }
    }
  }

  private func countOne(isolation: isolated any Actor) { countOne() }
}

extension HistoryObserver: SaveListener {
  func hear(_ changes: SavedChanges) {
    guard isWanted(changes) else { return }
    if let isolation {
      Task { await countOne(isolation: isolation) }
    } else {
      countOne()
    }
  }
}

extension ModelContainer {
  /// What was saved after the tokens, one report for each transaction; of stores without a token,
  /// nothing.
  fileprivate func changes(since tokens: [String: any HistoryToken]) throws -> [SavedChanges] {
    try connections().flatMap { connection -> [SavedChanges] in
      guard let token = tokens[connection.identifier] as? DefaultHistoryToken else { return [] }
      let number = token.tokenValue?[connection.identifier]
      return try connection.transactions(after: number, touching: nil).map { SavedChanges($0) }
    }
  }
}
