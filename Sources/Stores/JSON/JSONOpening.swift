import Foundation
import OpenSwiftData

/// The opening of a file that may not be there.
struct JSONOpening {
  struct Opened {
    let content: JSONContent
    /// Nil when there is no file.
    var version: FileVersion?
    /// What the user should know about the place of the file, one line each.
    var notes: [String] = []
  }

  private let configuration: JSONStoreConfiguration
  private let generator: RecordKeyGenerator
  /// Names a catalog that does not name itself; nil for a name that nobody had.
  var storeIdentifier: String?
  private var fileSystem: any FileSystem { configuration.fileSystem }

  init(_ configuration: JSONStoreConfiguration, generator: RecordKeyGenerator) {
    self.configuration = configuration
    self.generator = generator
  }

  /// Reads the file; an empty store without a version when there is none.
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

  /// The path without links; nil when there is no such file or folder.
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
    let isPlain = configuration.hasLines
    if !isPlain { try JSONHeader.check(schema, path: configuration.path) }
    let identifier = isPlain ? configuration.name : newStoreIdentifier()
    return JSONContent(
      table: RecordTable(schema: schema, storeIdentifier: identifier),
      document: JSONDocument(form: isPlain ? .lines : .catalog)
    )
  }

  private func newStoreIdentifier() -> String {
    UUID(randomHigh: configuration.random(), low: configuration.random())
      .uuidString.lowercased()
  }

  /// Reads the file; nil when it changed meanwhile.
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
      // Whoever replaced the file meanwhile has not touched what was read.
      guard try fileSystem.status(of: file).hasSameContent(as: status) else { return nil }
      if content.table.schema.entities.isEmpty, let schema = configuration.schema {
        try schema.validate()
        if content.document.form == .catalog {
          try JSONHeader.check(schema, path: configuration.path)
        }
        content.table = RecordTable(
          schema: schema,
          storeIdentifier: content.table.storeIdentifier
        )
        content.isHeaderStale = content.document.form == .catalog
      }
      return Opened(
        content: content,
        version: FileVersion(status: status, digest: digest),
        notes: notes(on: file, status)
      )
    } catch is JSONRestart {
      return nil
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

  /// True when the beginning of the text looks like a catalog of our own, which has a name of its own.
  private func isCatalog(_ source: JSONSource) throws -> Bool {
    let pass = JSONPass(source: source, hasLines: configuration.hasLines)
    return try JSONSurvey(pass, entityName: "", isComplete: false).header != nil
  }

  /// What is wrong with the text, with line and column.
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
