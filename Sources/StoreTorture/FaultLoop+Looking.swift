import OpenSwiftData
import Stores

/// Checks of the state after failed calls.
extension FaultLoop {
  /// The problems of the store when it is reopened without failures.
  func look(
    _ fileSystem: SimulatedFileSystem,
    _ before: StoreContents,
    _ outcome: Outcome
  ) throws -> [String] {
    var problems: [String] = []
    let found = try StoreContents(of: openAsItIs(fileSystem))
    let isNew = isNew(found, before)
    let saves = isCreation || work == .save || version != nil
    if saves, outcome == .done, !isNew { problems.append("the save is not there") }
    if saves, outcome == .failed, found != before { problems.append("the failed save is there") }
    if saves, outcome == .unknown, !isNew, found != before {
      problems.append("half a save is there")
    }
    if !saves, found != before { problems.append("the records changed") }
    return try problems + checkFollowingWork(fileSystem, before)
  }

  /// Whether the store holds its former content and everything that the work adds to it.
  func isNew(_ found: StoreContents, _ before: StoreContents) -> Bool {
    if let version {
      return FilmCollection(found) == FilmCollection(before).migrated(to: version)
    }
    return found.differences(from: before) == 1 && found.values.count == before.values.count + 1
  }

  /// The problems of the next migration, save and opening.
  private func checkFollowingWork(_ fileSystem: SimulatedFileSystem, _ before: StoreContents) throws
    -> [String]
  {
    let open = try openMigrating(fileSystem)
    let found = try StoreContents(of: open)
    var problems = try open.check()
    if version != nil, !isNew(found, before) {
      problems.append("the next opening does not migrate")
    }
    try open.insertFilms(["afterwards"])
    if work == .compact { _ = try open.compact() }
    if try StoreContents(of: openAsItIs(fileSystem)).differences(from: found) != 1 {
      problems.append("the next save is not there")
    }
    if !fileSystem.temporaryNames.isEmpty {
      problems.append("still left after the next writer: \(fileSystem.temporaryNames)")
    }
    return problems
  }

  /// Opens the store without migrating it.
  func openAsItIs(_ fileSystem: SimulatedFileSystem) throws -> any OpenTorturedStore {
    try store.open(
      fileSystem,
      path: path,
      schema: version == nil ? TorturedStore.schema : nil
    )
  }

  /// Opens the store for the version of the work.
  func openMigrating(_ fileSystem: SimulatedFileSystem) throws -> any OpenTorturedStore {
    guard let version else { return try openAsItIs(fileSystem) }
    return try store.open(fileSystem, path: path, migratingTo: version)
  }
}
