package import OpenSwiftData

/// What a saved change has survived when the save returns.
package enum LogDurability: Hashable, Sendable {
  /// Power loss, as far as the disk keeps its word.
  case powerLoss
  /// The end of the program only: power loss may take the last saves, never their order.
  case processDeath
}

/// Where a log lies and how it is used.
package struct LogStoreConfiguration: DataStoreConfiguration, Sendable {
  package typealias Store = LogStore

  package var name: String
  /// The entities of a new log; what an existing log lacks of them is added to it.
  package var schema: Schema?
  /// The file, or a link to it.
  package var path: String
  /// Nothing is written, not even a repair.
  package var isReadOnly: Bool
  package var durability: LogDurability
  /// What compacting leaves of the history; with anything but `all`, `compactIfWorthwhile()` compacts by itself.
  package var history: HistoryRetention
  /// How long to wait for another writer.
  package var lockTimeoutSeconds: Double
  package let fileSystem: any FileSystem

  package init(
    path: String,
    name: String? = nil,
    schema: Schema? = nil,
    isReadOnly: Bool = false,
    durability: LogDurability = .powerLoss,
    history: HistoryRetention = .all,
    lockTimeoutSeconds: Double = FileLock.defaultTimeoutSeconds,
    fileSystem: any FileSystem = LocalFileSystem()
  ) {
    self.name = name ?? splitPath(path).name
    self.schema = schema
    self.path = path
    self.isReadOnly = isReadOnly
    self.durability = durability
    self.history = history
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.fileSystem = fileSystem
  }
}

extension LogStoreConfiguration: Hashable {
  /// Equal in everything but the file system.
  package static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.schema == right.schema && left.path == right.path
      && left.isReadOnly == right.isReadOnly && left.durability == right.durability
      && left.history == right.history && left.lockTimeoutSeconds == right.lockTimeoutSeconds
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(path)
  }
}
