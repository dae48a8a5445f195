public import Foundation

extension ModelContext {
  /// Marks all models that fit to be deleted by the next save.
  ///
  /// The same as fetching them and deleting one after the other: new models that are not saved are
  /// found as well, delete rules are followed, and it can be undone.
  ///
  /// - Parameters:
  ///   - model: The class whose models are deleted.
  ///   - predicate: Which of them; nil for all.
  ///   - includeSubclasses: False to leave objects of subclasses alone.
  /// - Throws: What a fetch throws; nothing is deleted then.
  /// - Complexity: O(n) in the models that are deleted, which are read.
  public func delete<T: PersistentModel>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws {
    for found in try fetch(FetchDescriptor<T>(predicate: predicate))
    where includeSubclasses || ObjectIdentifier(type(of: found)) == ObjectIdentifier(T.self) {
      delete(found)
    }
  }
}
