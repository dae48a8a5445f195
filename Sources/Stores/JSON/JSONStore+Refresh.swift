package import OpenSwiftData

extension JSONStore: ChangeFeedingStore {
  /// Takes in what other programs wrote to the file, and tells it.
  ///
  /// - Throws: `PersistenceError`: `.conflict` when the file is gone or holds something else,
  ///   `.damaged` when it cannot be read; everything is as before then.
  /// - Complexity: O(1) for a file that nobody touched, else O(size of the file).
  package func refresh() throws {
    var news: StoreChange?
    do {
      try withSession { session in
        if session.failure == nil { news = try takeIn(&session) }
      }
    } catch {
      throw PersistenceError.reporting(error)
    }
    if let news { changeFeed.send(news) }
  }

  /// Reads the file again if another program wrote to it.
  ///
  /// - Returns: What changed; nil when nothing did.
  func takeIn(_ session: inout Session) throws -> StoreChange? {
    guard let version = session.version else { return nil }
    let fileSystem = configuration.fileSystem
    guard let path = try? fileSystem.resolve(configuration.path),
      let status = try fileSystem.statusIfPresent(of: path, in: nil)
    else { throw FileError.removedOnDisk(path: configuration.path) }
    if status.isUntouched(since: version.status) { return nil }
    var opening = JSONOpening(configuration, generator: session.generator)
    opening.storeIdentifier = identifier
    let opened = try opening.open()
    guard let read = opened.version else {
      throw FileError.removedOnDisk(path: configuration.path)
    }
    if let digest = version.digest, digest == read.digest {
      session.version = read
      return nil
    }
    let former = session.content
    session.content = try JSONRefresh(
      opened.content,
      following: former,
      path: configuration.path
    ).content
    session.content.checkInvariantsWhenSmall()
    session.version = read
    session.readCount += 1
    guard let changes = session.content.table.changes(since: former.table) else {
      return .everything
    }
    if changes.isEmpty { return nil }
    _ = session.history.append(
      TableChange(changes: changes, author: nil, isSave: false),
      now: configuration.now,
      random: configuration.random
    )
    return StoreChange(
      inserted: changes.inserted.map(\.persistentIdentifier),
      updated: changes.updated.map(\.persistentIdentifier),
      deleted: changes.deleted.map(\.persistentIdentifier)
    )
  }

  /// Does something that writes; what stands against it because other programs wrote meanwhile is done
  /// again on top of what they wrote.
  ///
  /// From the second time on the lock of the file is held from the reading to the writing: of many
  /// writers one would otherwise always be faster, and some never have their turn.
  package func writing(_ body: (inout Session) throws -> CommitResult) throws -> CommitResult {
    var news: [StoreChange] = []
    // Without the lock: whoever hears may read.
    defer { for change in news { changeFeed.send(change) } }
    return try withSession { session in
      try checkWritable(session)
      do {
        return try body(&session)
      } catch {
        try mergeReplacement(against: error, &news, &session)
      }
      return try replacement().excludingOthers { lock in
        session.lock = lock
        defer { session.lock = nil }
        _ = try readReplacement(&session).map { news.append($0) }
        // Programs that keep to no lock can still come in between.
        for _ in 0..<Self.writingAttempts {
          do {
            return try body(&session)
          } catch {
            try mergeReplacement(against: error, &news, &session)
          }
        }
        return try body(&session)
      }
    }
  }

  /// Takes in what may have been the reason of an error.
  ///
  /// - Throws: The error, unless the file was changed and it may be gone now.
  private func mergeReplacement(
    against error: any Error,
    _ news: inout [StoreChange],
    _ session: inout Session
  ) throws {
    let error = PersistenceError.reporting(error)
    guard session.failure == nil, Self.mayBeOutdated(error) else { throw error }
    let known = session.version
    if let change = try readReplacement(&session) {
      news.append(change)
    } else if session.version == known {
      throw error
    }
  }

  /// So often others may come in between before a save gives up.
  private static let writingAttempts = 3

  private static func mayBeOutdated(_ error: any Error) -> Bool {
    guard let error = error as? PersistenceError else { return false }
    return [.conflict, .notUnique, .unknownRecord].contains(error.code)
  }

  private func readReplacement(_ session: inout Session) throws -> StoreChange? {
    do {
      return try takeIn(&session)
    } catch {
      throw PersistenceError.reporting(error)
    }
  }
}
