package import OpenSwiftData

extension JSONStore: ChangeFeedingStore {
  /// Applies what other programs wrote to the file, and reports it.
  ///
  /// - Throws: `PersistenceError`: `.conflict` if the file was removed or replaced by something
  ///   else, `.damaged` if it cannot be read; nothing changes in that case.
  /// - Complexity: O(1) if the file is unchanged, else O(size of the file).
  package func refresh() throws {
    var notify: (() -> Void)?
    do {
      try withSession { session in
        if session.failure == nil { notify = try takeIn(&session).map(changeFeed.note) }
      }
    } catch {
      throw PersistenceError.reporting(error)
    }
    notify?()
  }

  /// Reads the file again if another program wrote to it.
  ///
  /// - Returns: What changed; nil if nothing did.
  func takeIn(_ session: inout Session) throws -> StoreChange? {
    guard let version = session.version else { return nil }
    let fileSystem = configuration.fileSystem
    guard let path = try? fileSystem.resolve(configuration.path),
      let status = try fileSystem.statusIfPresent(of: path, in: nil)
    else { throw FileError.removedOnDisk(path: configuration.path) }
    if status.isUntouched(since: version.status) { return nil }
    // Many programs empty a file before they write it.
    if status.sizeBytes == 0, session.content.document.format.isSeparated,
      session.content.table.schema.entities.contains(where: {
        session.content.table.count(of: $0.name) > 0
      })
    {
      throw PersistenceError(
        .damaged,
        "\(configuration.path): empty now, perhaps because another program is writing it; nothing was "
          + "read or saved, and unsaved changes are kept"
      )
    }
    let opened = try opening(session).open()
    guard let read = opened.version else {
      throw FileError.removedOnDisk(path: configuration.path)
    }
    if let digest = version.digest, digest == read.digest {
      session.version = read
      return nil
    }
    let former = session.content
    let refreshed = try JSONRefresh(
      opened.content,
      following: former,
      session.matching,
      path: configuration.path
    )
    (session.content, session.matching) = (refreshed.content, refreshed.matching)
    session.content.addFields(session.typesBeside)
    session.content.checkInvariantsWhenSmall()
    session.content.table.succeed(former.table)
    session.version = read
    session.memory = TextMemory()
    session.readCount += 1
    guard let changes = session.content.table.changes(since: former.table) else {
      return StoreChange(isIncomplete: true, isSchemaChanged: true)
    }
    if changes.isEmpty { return nil }
    session.attachHistory()
    _ = session.history.append(
      TableChange(changes: changes, author: nil, isSave: false),
      isExternal: true,
      now: configuration.now,
      random: configuration.random
    )
    return StoreChange(changes)
  }

  /// Runs a body that writes; if other programs' changes make it fail, applies them and runs it
  /// again.
  ///
  /// From the second attempt on, the lock of the file is held from reading to writing. Otherwise,
  /// with many writers, the fastest would always win and others might never finish a save.
  package func writing(_ body: (inout Session) throws -> CommitResult) throws -> CommitResult {
    var notify: [() -> Void] = []
    // Without the lock, because receivers may read the store.
    defer { for call in notify { call() } }
    return try withSession { session in
      try checkWritable(session)
      session.matching.beginSave()
      do {
        return try body(&session)
      } catch {
        try mergeReplacement(against: error, &notify, &session)
      }
      return try replacement().excludingOthers { lock in
        session.lock = lock
        defer { session.lock = nil }
        if let change = try readReplacement(&session) { notify.append(changeFeed.note(change)) }
        // Programs that do not use the lock can still write in between.
        for _ in 0..<Self.writingAttempts {
          do {
            return try body(&session)
          } catch {
            try mergeReplacement(against: error, &notify, &session)
          }
        }
        return try body(&session)
      }
    }
  }

  /// Applies changes of the file that may have caused an error.
  ///
  /// - Throws: The error, unless the file was changed and the error may no longer occur.
  private func mergeReplacement(
    against error: any Error,
    _ notify: inout [() -> Void],
    _ session: inout Session
  ) throws {
    let error = PersistenceError.reporting(error)
    guard session.failure == nil, Self.mayBeOutdated(error) else { throw error }
    let known = session.version
    if let change = try readReplacement(&session) {
      notify.append(changeFeed.note(change))
    } else if session.version == known {
      throw error
    }
  }

  /// The number of times that other programs may intervene before a save fails.
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
