/// Models that are read from the store in batches on first access, or their identifiers.
///
/// The `isDeleted` property of a model is true if its record was deleted before the batch was read.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private final class Cache {
    var batches: [Int: [Element]] = [:]
  }

  let identifiers: [PersistentIdentifier]
  private let batchSize: Int
  private let read: ([PersistentIdentifier]) -> [Element]
  private let cache = Cache()

  private init(
    identifiers: [PersistentIdentifier],
    batchSize: Int,
    read: @escaping ([PersistentIdentifier]) -> [Element]
  ) {
    self.identifiers = identifiers
    self.batchSize = batchSize
    self.read = read
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { identifiers.count }

  /// The element at the position; the first access reads its batch.
  public subscript(position: Int) -> Element {
    let number = position / batchSize
    if let batch = cache.batches[number] { return batch[position - number * batchSize] }
    let range = number * batchSize..<Swift.min((number + 1) * batchSize, identifiers.count)
    let batch = read(Array(identifiers[range]))
    cache.batches[number] = batch
    return batch[position - range.lowerBound]
  }
}

extension FetchResultsCollection where Element: PersistentModel {
  init(identifiers: [PersistentIdentifier], batchSize: Int, context: ModelContext) {
    self.init(identifiers: identifiers, batchSize: batchSize) { batch in
      let wanted = batch.map(context.resolve)
      // A record that can no longer be read appears as deleted, because a subscript cannot throw.
      let states = (try? context.fetching.statesPresent(among: wanted)) ?? [:]
      return wanted.map { identifier in
        states[identifier].flatMap { context.registry.model(of: $0) }
          ?? context.missingModel(identifier)
      }
    }
  }
}

extension FetchResultsCollection where Element == PersistentIdentifier {
  init(identifiers: [PersistentIdentifier]) {
    self.init(identifiers: identifiers, batchSize: Swift.max(1, identifiers.count)) { $0 }
  }
}
