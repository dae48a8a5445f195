public import Foundation

extension ModelContext {
  /// Posted before a context saves, with the context as object; what is changed then is saved as well.
  public static let willSave = Notification.Name("ModelContextWillSave")

  /// Posted after a context has saved, with the context as object and identifiers as `userInfo`.
  ///
  /// Under `insertedIdentifiers`, `updatedIdentifiers` and `deletedIdentifiers` there are arrays of
  /// `PersistentIdentifier`, both under the key itself and under its raw value; under `historyToken`
  /// there is the `DefaultHistoryToken` of the save, where the stores number their saves.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// The keys of what a notification tells.
  public enum NotificationKey: String, Hashable, Sendable {
    /// Not used: there are no generations of queries here.
    case queryGeneration
    /// Not used: identifiers stay valid.
    case invalidatedAllIdentifiers
    /// The records that were inserted, under their permanent identifiers.
    case insertedIdentifiers
    /// The records whose values changed.
    case updatedIdentifiers
    /// The records that were deleted.
    case deletedIdentifiers
    /// The place of the save in the history.
    case historyToken
  }

  /// Tells that a save begins.
  func postWillSave() { NotificationCenter.default.post(name: Self.willSave, object: self) }

  /// Tells siblings, observers and the notification centre what was saved.
  func report(_ saved: SavedChanges) {
    container.hub.post(saved, from: surroundings.mailbox)
    surroundings.tellObservers()
    NotificationCenter.default.post(
      name: Self.didSave,
      object: self,
      userInfo: NotificationKey.userInfo(of: saved)
    )
  }
}

extension ModelContext.NotificationKey {
  private typealias Info = [AnyHashable: Any]

  /// What a save tells that changed nothing, and where in it each key stands.
  ///
  /// Hashing keys of any type anew costs more than the rest of telling. Never changed; its values are
  /// arrays of identifiers, and a token.
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
  /// Posted when somebody else changed a store of a container: another process, a server.
  ///
  /// The object is the container; `userInfo` has the same keys as that of `ModelContext.didSave`, and
  /// none when it is not known what changed. Contexts take the changes in by themselves.
  public static let remoteChange = Notification.Name("ModelContainerRemoteChange")

  /// Looks whether somebody else changed the stores, such as another process; otherwise that is found
  /// out with the next fetch.
  ///
  /// - Throws: What a store says that cannot be read.
  public func lookForRemoteChanges() throws {
    for connection in connections() {
      guard let name = connection.schema.entities.first?.name else { continue }
      _ = try connection.count(matching: Query(name, limit: 0))
    }
  }

  /// Tells every context what somebody else changed in a store.
  package func reportRemoteChanges(_ saved: SavedChanges) {
    guard !saved.isEmpty else { return }
    hub.post(saved, from: nil)
    NotificationCenter.default.post(
      name: Self.remoteChange,
      object: self,
      userInfo: saved.isUnknown ? nil : ModelContext.NotificationKey.userInfo(of: saved)
    )
  }
}
