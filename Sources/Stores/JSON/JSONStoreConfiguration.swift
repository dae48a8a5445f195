package import Foundation
package import OpenSwiftData

/// The location of a JSON file and how it is used.
package struct JSONStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  package typealias Store = JSONStore

  /// The name of the store; by default the last part of the path.
  package let name: String
  /// The entities of a file that does not exist yet or has no entities.
  package var schema: Schema?
  /// The file, or a link to it.
  package let path: String
  /// Nothing is ever written.
  package let isReadOnly: Bool
  /// How long to wait for another writer.
  package let lockTimeoutSeconds: Double
  let fileSystem: any FileSystem
  let now: @Sendable () -> Date
  let random: @Sendable () -> UInt64

  /// Creates a configuration; file system, clock and random numbers default to the system's.
  package init(
    path: String,
    name: String? = nil,
    schema: Schema? = nil,
    isReadOnly: Bool = false,
    lockTimeoutSeconds: Double = FileLock.defaultTimeoutSeconds,
    fileSystem: any FileSystem = LocalFileSystem(),
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.name = name ?? splitPath(path).name
    self.schema = schema
    self.path = path
    self.isReadOnly = isReadOnly
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.fileSystem = fileSystem
    self.now = now
    self.random = random
  }

  /// True if the file has one record per line.
  var hasLines: Bool {
    let lowercased = path.lowercased()
    return lowercased.hasSuffix(".jsonl") || lowercased.hasSuffix(".ndjson")
  }

  /// The name of the only entity of a file without entity names: the file name without its
  /// extension.
  var entityName: String {
    let file = splitPath(path).name
    guard let point = file.lastIndex(of: "."), point != file.startIndex else { return file }
    return String(file[..<point])
  }
}

extension JSONStoreConfiguration: Hashable {
  /// Equal in everything but file system, clock and random numbers.
  package static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.schema == right.schema && left.path == right.path
      && left.isReadOnly == right.isReadOnly
      && left.lockTimeoutSeconds == right.lockTimeoutSeconds
  }

  /// Hashes the name and the path.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(path)
  }
}
