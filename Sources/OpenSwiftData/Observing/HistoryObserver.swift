public import Observation
import Synchronization

/// Counts the saves of certain models by certain authors.
///
/// It counts the saves of the container's contexts and the changes by other programs that stores report.
/// Observe `eventCounter` and read the history when it changes; changes by other programs are in it as well.
/// Can be used from any thread.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose saves are counted.
  public let modelContainer: ModelContainer
  /// The models whose changes count; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose saves count; empty for all.
  public let authors: Set<String>

  private let entityNames: Set<String>
  private let isolation: (any Actor)?
  private let count: Mutex<Int>
  private let registrar = ObservationRegistrar()

  /// Starts counting.
  ///
  /// - Parameters:
  ///   - historyTokens: The last positions read in the history, by store identifier; later saves are counted
  ///     immediately. Nil to count only new saves.
  ///   - observedModels: The models whose changes count, with their subclasses; empty for all.
  ///   - authors: The authors whose saves count; empty for all.
  ///   - modelContainer: The container.
  ///   - isolation: The actor on which the counter changes; without one, it changes on the thread that
  ///     saves, before the save returns.
  /// - Throws: The error of a store when it reads its history.
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
    modelContainer.startWatching()
    guard let historyTokens else { return }
    let past = try modelContainer.changes(since: historyTokens).count { isWanted($0) }
    count.withLock { $0 += past }
  }

  /// The number of counted saves.
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
  /// The changes after the tokens, one report per transaction; none for stores without a token.
  fileprivate func changes(since tokens: [String: any HistoryToken]) throws -> [SavedChanges] {
    try connections().flatMap { connection -> [SavedChanges] in
      guard let token = tokens[connection.identifier] as? DefaultHistoryToken else { return [] }
      let number = token.tokenValue?[connection.identifier]
      return try connection.transactions(after: number, touching: nil).map { SavedChanges($0) }
    }
  }
}
