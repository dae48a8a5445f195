import CatalogApp
import Foundation
public import OpenSwiftData
import Stores
import Synchronization

/// A kind of store the program can open: its name on the command line, how its locations are recognized, and how to
/// open it.
///
/// ```swift
/// extension StoreKind {
///   static let notes = StoreKind(
///     name: "notes",
///     recognizes: { path in FileManager.default.fileExists(atPath: path + "/.notes") },
///     open: { path, opening in
///       try ModelContainer(configurations: NotesConfiguration(folder: path, schema: opening.schema))
///     }
///   )
/// }
/// ```
///
/// A package of its own passes its kinds to ``runCatalog(kinds:)``.
public struct StoreKind: Sendable {
  /// What the text after `#` in a location of a file names.
  enum Part {
    /// Nothing: it belongs to the name of the file.
    case none
    /// The path of the value that contains the records.
    case value
    /// The entity that is shown first.
    case entity
  }

  /// Its name for `--store` and in the scheme of a location.
  public let name: String
  /// The file name extensions that select it, such as `.json`.
  public let endings: [String]
  /// The schemes of the URLs that it opens, such as `https`, in small letters; empty for a kind of files.
  public let schemes: [String]
  /// The extension of the default file; nil if the kind has no default location.
  public let defaultEnding: String?
  /// What the text after `#` in a location names.
  var part = Part.none
  private let recognizes: @Sendable (_ path: String) -> Bool
  private let opens: @Sendable (_ path: String, _ opening: StoreOpening) throws -> ModelContainer

  /// Creates a kind.
  ///
  /// - Parameters:
  ///   - name: Its name for `--store` and in the scheme of a location: lower-case letters.
  ///   - endings: The file name extensions that select it, such as `.json`.
  ///   - defaultEnding: The extension of the default file; nil if the kind has no default location.
  ///   - recognizes: True for a file or a folder of this kind. It is asked about an existing file or folder whose
  ///     name has none of the known extensions.
  ///   - open: Opens the store; a path that does not exist is an empty store, not written before the first save.
  public init(
    name: String,
    endings: [String] = [],
    defaultEnding: String? = nil,
    recognizes: @escaping @Sendable (_ path: String) -> Bool = { _ in false },
    open: @escaping @Sendable (_ path: String, _ opening: StoreOpening) throws -> ModelContainer
  ) {
    self.name = name
    self.endings = endings
    schemes = []
    self.defaultEnding = defaultEnding
    self.recognizes = recognizes
    opens = open
  }

  /// Creates a kind whose locations are URLs.
  ///
  /// ```swift
  /// let service = StoreKind(name: "service", schemes: ["service", "services"]) { url, opening in
  ///   try ModelContainer(configurations: ServiceConfiguration(url, schema: opening.schema))
  /// }
  /// ```
  ///
  /// A URL is passed as it was typed, and never used as a path. It is shown without its password, and without the
  /// values of parameters such as `password` and `token`; an error that names it is, too. Unsaved changes are kept for
  /// recovery in the user's folder for state.
  ///
  /// - Parameters:
  ///   - name: Its name for `--store`: lower-case letters.
  ///   - schemes: The schemes of its URLs, in small letters: `SCHEME://…`.
  ///   - open: Opens the store.
  public init(
    name: String,
    schemes: [String],
    open: @escaping @Sendable (_ url: String, _ opening: StoreOpening) throws -> ModelContainer
  ) {
    self.name = name
    self.schemes = schemes
    endings = []
    defaultEnding = nil
    recognizes = { _ in false }
    opens = open
  }

  /// The kinds of the program `catalog`, in the order of the help.
  public static let standard: [StoreKind] = [
    .memory, .json, .csv, .log, .sqlite, .jsonLines, .postgres,
  ]

  private static let used = Mutex(standard)

  /// Every kind of this program, in the order of the help.
  static var all: [StoreKind] { used.withLock { $0 } }

  /// Sets the kinds of this program, before anything reads them.
  static func use(_ kinds: [StoreKind]) { used.withLock { $0 = kinds } }

  /// The same kind, whose locations can name a part of the store after `#`.
  func naming(_ part: Part) -> StoreKind {
    var kind = self
    kind.part = part
    return kind
  }

  /// Opens the store at the path or the URL.
  ///
  /// - Throws: The error of the store.
  func open(_ path: String, _ opening: StoreOpening) throws -> ModelContainer {
    try opens(path, opening)
  }

  /// The first kind that recognizes an existing file or folder; nil if none does.
  static func recognizing(_ path: String, among kinds: [StoreKind]) -> StoreKind? {
    // Open nothing else: reading from a pipe would wait or consume its data. A file that cannot be
    // examined is reported when it is opened.
    let type = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    )[.type]
    guard [.typeRegular, .typeDirectory].contains(type as? FileAttributeType) else { return nil }
    return kinds.first { $0.recognizes(path) }
  }

  /// The forms of locations that name a kind: `json:PATH, log:PATH, memory:`.
  static var locations: String {
    let (memory, others) = (all.filter(\.isInMemory), all.filter { !$0.isInMemory })
    let files = others.filter(\.schemes.isEmpty).map { "\($0.name):PATH" }
    return (files + memory.map { "\($0.name):" }).joined(separator: ", ")
  }

  /// The beginnings of URLs: `postgres:// or postgresql://`.
  static var urls: String { all.flatMap(\.schemes).map { "\($0)://" }.alternatives }

  /// True for the kind whose locations have no path.
  var isInMemory: Bool { name == "memory" }

  /// Their names in words: `memory, json or log`.
  static var names: String { all.map(\.name).alternatives }
}

extension [String] {
  /// The texts with commas and "or" between them.
  var alternatives: String { dropLast().joined(separator: ", ") + " or " + (last ?? "") }
}

/// How a store is opened.
public struct StoreOpening: Sendable {
  /// The entities for a store without any.
  public var schema: Schema?
  /// True if the store is never written.
  public var isReadOnly: Bool
  /// How much history a store keeps in its file, if it has one.
  public var history = HistoryRetention.all
  /// How long a save waits for a store that another program has locked; nil for the default of the store.
  public var lockTimeoutSeconds: Double?
  /// The file that keeps the history of a store which does not keep it itself; nil to keep none.
  var historyPath: String?
  /// The path of the value that contains the records in a JSON file; nil for the whole file.
  var fragment: String?
  /// How a file of separated values is read.
  var reading = ReadingOptions()
  /// The point in the history that a read-only store shows; nil for the present.
  var end: HistoryPoint?
}
