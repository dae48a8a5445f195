package import OpenSwiftData

/// The failures that a saved change survives once the save has returned.
package enum LogDurability: Hashable, Sendable {
  /// Power loss, provided that the disk honors synchronization.
  case powerLoss
  /// A crash of the program only: power loss may lose the last saves, but never reorder them.
  case processDeath
}

/// The location of a log and how it is used.
package struct LogStoreConfiguration: DataStoreConfiguration, Sendable {
  package typealias Store = LogStore

  package var name: String
  /// The entities of a new log; those missing from an existing log are added to it.
  package var schema: Schema?
  /// The file, or a link to it.
  package var path: String
  /// Nothing is written, not even a repair.
  package var isReadOnly: Bool
  /// False if the file is only read.
  package var allowsSave: Bool { !isReadOnly }
  package var durability: LogDurability
  /// The history that compaction keeps; unless `all`, `compactIfWorthwhile()` compacts
  /// automatically.
  package var history: HistoryRetention
  /// How long to wait for another writer.
  package var lockTimeoutSeconds: Double
  /// The point in the history up to which a read-only log is read; nil for all of it.
  package var end: HistoryPoint?
  package let fileSystem: any FileSystem

  package init(
    path: String,
    name: String? = nil,
    schema: Schema? = nil,
    isReadOnly: Bool = false,
    durability: LogDurability = .powerLoss,
    history: HistoryRetention = .all,
    lockTimeoutSeconds: Double = FileLock.defaultTimeoutSeconds,
    end: HistoryPoint? = nil,
    fileSystem: any FileSystem = LocalFileSystem()
  ) {
    self.name = name ?? splitPath(path).name
    self.schema = schema
    self.path = path
    self.isReadOnly = isReadOnly
    self.durability = durability
    self.history = history
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.end = end
    self.fileSystem = fileSystem
  }
}

extension LogStoreConfiguration: Hashable {
  /// Equal in everything but the file system.
  package static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.schema == right.schema && left.path == right.path
      && left.isReadOnly == right.isReadOnly && left.durability == right.durability
      && left.history == right.history && left.lockTimeoutSeconds == right.lockTimeoutSeconds
      && left.end == right.end
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(path)
  }
}
