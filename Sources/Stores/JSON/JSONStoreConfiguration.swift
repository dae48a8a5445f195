package import Foundation
package import OpenSwiftData

/// The location of a JSON file and how it is used.
package struct JSONStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  package typealias Store = JSONStore

  /// What a file contains.
  package enum Form: Hashable, Sendable {
    /// A JSON catalog, or JSON from another program.
    case json
    /// JSON with one record per line, whatever the name of the file.
    case lines
    /// Separated values, such as CSV.
    case delimited
  }

  /// The name of the store; by default the last part of the path.
  package let name: String
  /// The entities of a file that does not exist yet or has no entities.
  package var schema: Schema?
  /// The file, or a link to it.
  package let path: String
  /// What the file contains.
  package let form: Form
  /// The path of the value with the records in a JSON file, such as `data.items`; nil for the whole file.
  package private(set) var fragment: String?
  /// Nothing is ever written.
  package let isReadOnly: Bool
  /// False if the file is only read.
  package var allowsSave: Bool { !isReadOnly }
  /// How long to wait for another writer.
  package let lockTimeoutSeconds: Double
  /// The content of a store without a file, which is never written; nil for a file.
  let text: [UInt8]?
  /// The entity of a text without entity names; nil takes the name of the file.
  private let textEntityName: String?
  /// A note about the form of a text; nil for none.
  var note: String?
  /// The delimiter that the name of the file promises; nil for none.
  let promisedDelimiter: UInt8?
  /// How a file of separated values is to be read.
  package var reading = ReadingOptions()
  /// By entity and field, a type whose values a file without types is to be able to hold, too, as if it had some.
  var typesBeside: FieldTypes = [:]
  /// The file that keeps the history when the store is closed; nil to keep it only while it is open.
  package var historyPath: String?
  /// The history that is kept.
  package var historyLimit = HistoryLimit()
  let fileSystem: any FileSystem
  let now: @Sendable () -> Date
  let random: @Sendable () -> UInt64

  /// Creates a configuration; file system, clock and random numbers default to the system's.
  package init(
    path: String,
    form: Form = .json,
    fragment: String? = nil,
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
    self.form = form
    self.fragment = fragment
    text = nil
    textEntityName = nil
    promisedDelimiter = DelimitedText.delimiter(promisedBy: path)
    self.isReadOnly = isReadOnly
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.fileSystem = fileSystem
    self.now = now
    self.random = random
  }

  /// Creates the configuration of a text, which is never written.
  init(
    text: [UInt8],
    path: String,
    form: Form,
    entityName: String,
    promisedDelimiter: UInt8?
  ) {
    name = path
    schema = nil
    self.path = path
    self.form = form
    fragment = nil
    self.text = text
    textEntityName = entityName
    self.promisedDelimiter = promisedDelimiter
    isReadOnly = true
    lockTimeoutSeconds = FileLock.defaultTimeoutSeconds
    fileSystem = LocalFileSystem()
    now = { Date() }
    random = { UInt64.random(in: .min ... .max) }
  }

  /// The configuration for the value at a path in the file.
  func at(_ path: String) -> JSONStoreConfiguration {
    var configuration = self
    configuration.fragment = path
    return configuration
  }

  /// How a new file is written, and an existing one if it is not found out to be another JSON document.
  var format: TextFormat {
    form == .delimited
      ? .separated(DelimitedDialect(delimiter: promisedDelimiter))
      : .json(hasLines ? .lines : .catalog)
  }

  /// True if the file has one record per line.
  var hasLines: Bool {
    if fragment != nil { return false }
    if text != nil || form != .json { return form == .lines }
    let lowercased = path.lowercased()
    return lowercased.hasSuffix(".jsonl") || lowercased.hasSuffix(".ndjson")
  }

  /// True if the file holds one entity, whose name it does not contain.
  var isFlat: Bool { form == .delimited || hasLines }

  /// The name of the only entity of a file without entity names: the file name without its
  /// extension.
  var entityName: String {
    if let fragment { return JSONPart.name(of: fragment) }
    if let textEntityName { return textEntityName }
    let file = splitPath(path).name
    let point = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 }
    let name = point.map { String(file[..<$0]) } ?? file
    // In a JSON catalog the name is that of the header.
    return name == JSONHeader.key ? "Catalog" : name
  }
}

extension JSONStoreConfiguration: Hashable {
  /// Equal in everything but file system, clock and random numbers.
  package static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.schema == right.schema && left.path == right.path
      && left.form == right.form && left.fragment == right.fragment
      && left.reading == right.reading
      && left.isReadOnly == right.isReadOnly
      && left.lockTimeoutSeconds == right.lockTimeoutSeconds
      && left.historyPath == right.historyPath && left.historyLimit == right.historyLimit
  }

  /// Hashes the name and the path.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(path)
  }
}
