import Foundation
import OpenSwiftData

/// Opens a file that may not exist.
struct JSONOpening {
  struct Opened {
    let content: JSONContent
    /// Nil if the file does not exist.
    var version: FileVersion?
    /// Notes for the user about the location of the file, one line each.
    var notes: [String] = []
  }

  private let configuration: JSONStoreConfiguration
  private let generator: RecordKeyGenerator
  /// The identifier for a catalog without one; nil for a new identifier.
  var storeIdentifier: String?
  private var fileSystem: any FileSystem { configuration.fileSystem }

  init(_ configuration: JSONStoreConfiguration, generator: RecordKeyGenerator) {
    self.configuration = configuration
    self.generator = generator
  }

  /// Reads the file; if it does not exist, returns an empty store without a version.
  ///
  /// - Throws: `PersistenceError`.
  func open() throws -> Opened {
    do {
      guard let path = try existingPath() else { return Opened(content: try newContent()) }
      return try fileSystem.waitingForOthers(
        path: configuration.path,
        timeoutSeconds: configuration.lockTimeoutSeconds
      ) { try read(path) }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  /// The path with links resolved; nil if the file or its folder does not exist.
  private func existingPath() throws(FileSystemError) -> String? {
    do {
      let path = try retrying { () throws(FileSystemError) in
        try fileSystem.resolve(configuration.path)
      }
      return try fileSystem.statusIfPresent(of: path, in: nil) == nil ? nil : path
    } catch  where error.code == .notFound {
      return nil
    }
  }

  private func newContent() throws -> JSONContent {
    let schema = configuration.schema ?? Schema()
    try schema.validate()
    let hasLines = configuration.hasLines
    if !hasLines { try JSONHeader.check(schema, path: configuration.path) }
    let identifier = hasLines ? configuration.name : newStoreIdentifier()
    return JSONContent(
      table: RecordTable(schema: schema, storeIdentifier: identifier),
      document: JSONDocument(layout: hasLines ? .lines : .catalog)
    )
  }

  private func newStoreIdentifier() -> String {
    UUID(randomHigh: configuration.random(), low: configuration.random())
      .uuidString.lowercased()
  }

  /// Reads the file; nil if it changed during the reading.
  private func read(_ path: String) throws -> Opened? {
    let (file, status) = try fileSystem.openRegular(path, in: nil, .read)
    defer { fileSystem.closeQuietly(file) }
    let source = JSONSource(fileSystem, file, sizeBytes: status.sizeBytes)
    guard status.sizeBytes > 0 || configuration.hasLines else {
      throw PersistenceError(
        .notAStore,
        "\(configuration.path): empty file; to create a catalog, use a name that does not exist"
      )
    }
    do {
      let loader = JSONLoader(source, configuration, generator: generator)
      let fallback =
        try isCatalog(source) ? storeIdentifier ?? newStoreIdentifier() : configuration.name
      var (content, digest) = try loader.load(storeIdentifier: fallback)
      // The open file is still the one that was read, even if another program has replaced it
      // since.
      guard try fileSystem.status(of: file).hasSameContent(as: status) else { return nil }
      if content.table.schema.entities.isEmpty, let schema = configuration.schema {
        try schema.validate()
        if content.document.layout == .catalog {
          try JSONHeader.check(schema, path: configuration.path)
        }
        content.table = RecordTable(
          schema: schema,
          storeIdentifier: content.table.storeIdentifier
        )
        content.isHeaderStale = content.document.layout == .catalog
      }
      return Opened(
        content: content,
        version: FileVersion(status: status, digest: digest),
        notes: notes(on: file, status)
      )
    } catch is JSONRestart {
      return nil
    } catch let shortage as JSONMemoryShortage {
      throw FileError.outOfMemory(
        path: configuration.path,
        neededBytes: shortage.neededBytes,
        availableBytes: shortage.availableBytes
      )
    } catch let damage as JSONDamage {
      guard try fileSystem.status(of: file).hasSameContent(as: status) else { return nil }
      throw try Self.error(damage, in: source, path: configuration.path)
    }
  }

  private func notes(on file: OpenFile, _ status: FileStatus) -> [String] {
    var notes = fileSystem.notes(on: file, status)
    if !configuration.isReadOnly, let reason = fileSystem.reasonNotToWrite(file.path) {
      notes.append(
        "\(configuration.path): read-only (\(reason.code)); save to another location instead"
      )
    }
    return notes
  }

  /// True if the beginning of the text looks like a JSON catalog, which has its own identifier.
  private func isCatalog(_ source: JSONSource) throws -> Bool {
    let pass = JSONPass(source: source, hasLines: configuration.hasLines)
    return try JSONSurvey(pass, entityName: "", isComplete: false).header != nil
  }

  /// The error for damaged text, with line and column.
  static func error(_ damage: JSONDamage, in source: JSONSource, path: String) throws
    -> PersistenceError
  {
    let (line, column) = try source.position(of: damage.offset)
    var message = "\(path): line \(line), column \(column): \(damage.message)"
    if let earlier = damage.earlier {
      message += ", first in line \(try source.position(of: earlier).line)"
    }
    return PersistenceError(damage.code == .notAStore ? .notAStore : .damaged, message)
  }
}
