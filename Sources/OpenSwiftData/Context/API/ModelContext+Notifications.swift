public import Foundation

extension ModelContext {
  /// Posted before a context saves, with the context as object; changes made during the notification are
  /// saved as well.
  public static let willSave = Notification.Name("ModelContextWillSave")

  /// Posted after a context has saved, with the context as object and identifiers as `userInfo`.
  ///
  /// `insertedIdentifiers`, `updatedIdentifiers` and `deletedIdentifiers` map to arrays of
  /// `PersistentIdentifier`, both under the key itself and under its raw value. `historyToken` maps to the
  /// `DefaultHistoryToken` of the save if the stores number their saves.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// The keys in the `userInfo` of a notification.
  public enum NotificationKey: String, Hashable, Sendable {
    /// Not used: this library has no query generations.
    case queryGeneration
    /// Not used: identifiers stay valid.
    case invalidatedAllIdentifiers
    /// The records that were inserted, under their permanent identifiers.
    case insertedIdentifiers
    /// The records whose values changed.
    case updatedIdentifiers
    /// The records that were deleted.
    case deletedIdentifiers
    /// The position of the save in the history.
    case historyToken
  }

  /// Posts that a save begins.
  func postWillSave() {
    guard postsNotifications else { return }
    NotificationCenter.default.post(name: Self.willSave, object: self)
  }

  /// Reports saved changes to sibling contexts, observers and the notification center.
  func report(_ saved: SavedChanges) {
    container.hub.post(saved, from: surroundings.inbox)
    surroundings.tellObservers()
    guard postsNotifications else { return }
    NotificationCenter.default.post(
      name: Self.didSave,
      object: self,
      userInfo: NotificationKey.userInfo(of: saved)
    )
  }
}

extension ModelContext.NotificationKey {
  private typealias Info = [AnyHashable: Any]

  /// The `userInfo` of a save without changes, and the index of each key in it.
  ///
  /// Hashing keys of any type each time costs more than the rest of the notification. The template never
  /// changes; its values are arrays of identifiers and a token.
  private nonisolated(unsafe) static let template: (info: Info, places: [Info.Index]) = {
    let keys = [Self.insertedIdentifiers, updatedIdentifiers, deletedIdentifiers, historyToken]
      .flatMap { [AnyHashable($0), AnyHashable($0.rawValue)] }
    var info = Info(uniqueKeysWithValues: keys.map { ($0, [PersistentIdentifier]()) })
    for key in keys.suffix(2) { info[key] = DefaultHistoryToken(nil) }
    return (info, keys.compactMap(info.index(forKey:)))
  }()

  static func userInfo(of saved: SavedChanges) -> [AnyHashable: Any] {
    var info = template.info
    let parts = [saved.inserted, saved.updatedIdentifiers, saved.deleted]
    for (number, identifiers) in parts.enumerated() where !identifiers.isEmpty {
      info.values[template.places[2 * number]] = identifiers
      info.values[template.places[2 * number + 1]] = identifiers
    }
    guard !saved.tokens.isEmpty else {
      info[historyToken] = nil
      info[historyToken.rawValue] = nil
      return info
    }
    let token = DefaultHistoryToken(saved.tokens)
    for place in template.places.suffix(2) { info.values[place] = token }
    return info
  }
}

extension ModelContainer {
  /// Posted when another process or a server changed a store of a container.
  ///
  /// The object is the container; `userInfo` has the same keys as that of `ModelContext.didSave`, or none
  /// when the changed records are not known. Contexts merge the changes automatically.
  public static let remoteChange = Notification.Name("ModelContainerRemoteChange")

  /// Passes changes made to a store from outside to every context, which merges them with its next use.
  ///
  /// - Returns: A closure that notifies observers; these may use the stores.
  package func noteRemoteChanges(_ saved: SavedChanges) -> () -> Void {
    let notifyListeners = hub.note(saved, from: nil)
    return { [self] in
      notifyListeners()
      NotificationCenter.default.post(
        name: Self.remoteChange,
        object: self,
        userInfo: saved.isUnknown ? nil : ModelContext.NotificationKey.userInfo(of: saved)
      )
    }
  }
}
