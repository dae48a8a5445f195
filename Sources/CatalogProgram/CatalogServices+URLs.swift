import CatalogApp
import Foundation
import OpenSwiftData
import Stores

/// Locations that are URLs.
extension CatalogServices {
  /// The location that a URL names; nil for a path, which may be that of a file whose name looks like a URL.
  ///
  /// - Throws: `CommandError` if no kind opens URLs of this scheme, or `--store` names another one.
  func urlLocation(_ text: String, store: String?) throws -> StoreLocation? {
    guard let scheme = LocationText.scheme(of: text) else { return nil }
    if let kind = kinds.first(where: { $0.schemes.contains(scheme) }) {
      return try StoreLocation(url: text, kind: kind, store: store)
    }
    // The kind of a path, as in `json://films`, and a file of that name are paths as before.
    guard !kinds.contains(where: { $0.name == scheme }), !exists(text) else { return nil }
    let known = kinds.flatMap(\.schemes)
    let shown = Value.quoted(LocationText.withoutPasswords(text))
    throw CommandError(
      "\(shown): unknown URL scheme \(Value.quoted(scheme)); "
        + (known.isEmpty
          ? "open a file, or one of \(StoreKind.locations)"
          : "available: " + known.joined(separator: ", "))
    )
  }

  /// The recovery files of a store with a URL, in the user's folder for state.
  ///
  /// Their names are a hash of the location without the password, which may change.
  func remoteRecovery(for location: StoreLocation) -> Recovery {
    do {
      guard let folder = recoveryFolder else {
        throw CommandError("neither HOME nor XDG_STATE_HOME is set")
      }
      let path = folder + "/" + RecoveryFolder.storeName(for: location.shown)
      try createFolder(of: path)
      return Recovery(
        try StoreRecovery(fileSystem: fileSystem, storePath: path, owner: owner, process: process)
      )
    } catch {
      // The reason is reported as soon as there are unsaved changes that a crash would lose.
      return Recovery(NoRecovery(reason: error))
    }
  }
}

/// Recovery files that cannot be kept, because their folder cannot be used.
final class NoRecovery: RecoveryStorage {
  private let reason: any Error
  let left: [RecoveryFileLines] = []
  let ownPath: String? = nil
  let storeVersion: String? = nil

  init(reason: any Error) { self.reason = reason }

  func append(_ lines: any Sequence<String>) throws -> Int { throw reason }
  func replace(with lines: any Sequence<String>, takingOver: Bool) throws -> Int { throw reason }
  func synchronize() {}
  func removeOwnFile() {}
  func setOwnFileAside() {}
  func keepFiles(_ paths: Set<String>) {}
  func copyFound() -> [String] { [] }
  func removeFound() {}
  func setFoundAside() -> [String] { [] }
}
