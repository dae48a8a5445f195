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
  /// Its name for `--store` and in the scheme of a location.
  public let name: String
  /// The file name extensions that select it, such as `.json`.
  public let endings: [String]
  /// The extension of the default file; nil if the kind has no default location.
  public let defaultEnding: String?
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
    self.defaultEnding = defaultEnding
    self.recognizes = recognizes
    opens = open
  }

  /// The kinds of the program `catalog`, in the order of the help.
  public static let standard: [StoreKind] = [.memory, .json, .log]

  private static let used = Mutex(standard)

  /// Every kind of this program, in the order of the help.
  static var all: [StoreKind] { used.withLock { $0 } }

  /// Sets the kinds of this program, before anything reads them.
  static func use(_ kinds: [StoreKind]) { used.withLock { $0 = kinds } }

  /// Opens the store at the path.
  ///
  /// - Throws: The error of the store.
  func open(_ path: String, _ opening: StoreOpening) throws -> ModelContainer {
    try opens(path, opening)
  }

  /// The first kind that recognizes an existing file or folder; nil if none does.
  static func recognizing(_ path: String) -> StoreKind? {
    // Nothing else may be opened: reading from a pipe would wait, or take away what is in it. What cannot be examined
    // is reported when it is opened.
    let type = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    )[.type]
    guard [.typeRegular, .typeDirectory].contains(type as? FileAttributeType) else { return nil }
    return all.first { $0.recognizes(path) }
  }

  /// The forms of locations that name a kind: `json:PATH, log:PATH, memory:`.
  static var locations: String {
    let (memory, files) = (all.filter(\.isInMemory), all.filter { !$0.isInMemory })
    return (files.map { "\($0.name):PATH" } + memory.map { "\($0.name):" }).joined(separator: ", ")
  }

  /// True for the kind whose locations have no path.
  var isInMemory: Bool { name == "memory" }

  /// Their names in words: `memory, json or log`.
  static var names: String {
    let names = all.map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

/// How a store is opened.
public struct StoreOpening: Sendable {
  /// The entities for a store without any.
  public var schema: Schema?
  /// True if the store is never written.
  public var isReadOnly: Bool
  /// How much history a store keeps in its file, if it has one.
  public var history = HistoryRetention.all
}

/// The location of a store: its kind and, unless it is in memory, a path.
struct StoreLocation: Equatable {
  let kind: String
  let path: String

  /// A store in memory, without a file.
  static let memory = StoreLocation(kind: "memory", path: "")

  private init(kind: String, path: String) {
    self.kind = kind
    self.path = path
  }

  /// Its name on the screen.
  var name: String {
    kind == "memory" ? "memory" : path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Parses a location: `SCHEME:PATH`, or a path whose extension selects the kind, or else its content.
  ///
  /// - Throws: `CommandError` if the scheme contradicts `--store` or the path is missing.
  init(_ text: String, store: String? = nil) throws {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw CommandError("empty location; give a file name, such as films.json")
    }
    if let colon = text.firstIndex(of: ":"),
      let kind = StoreKind.all.first(where: { $0.name == text[..<colon] })
    {
      guard store == nil || store == kind.name else {
        throw CommandError("\(Value.quoted(text)) conflicts with --store \(store ?? "")")
      }
      self.kind = kind.name
      path = String(text[text.index(after: colon)...])
      try Self.check(self.kind, path)
      guard kind.isInMemory || !path.isEmpty else {
        throw CommandError("missing path after \(kind.name):")
      }
      return
    }
    guard text != "-" else {
      throw CommandError(
        "- is not a store; use \"import\" to read a file, or ./- to open a store named \"-\""
      )
    }
    path = text
    let name = text.lowercased()
    let byEnding = StoreKind.all.first { $0.endings.contains { name.hasSuffix($0) } }
    if store == nil, let ending = Self.tableEndings.first(where: { name.hasSuffix($0) }) {
      throw CommandError(
        "\(Value.quoted(text)): a \(ending) file is not a store; use \"import\" and \"export\" "
          + "(to open a JSON store with that name, use json:\(text))"
      )
    }
    let found = store == nil && byEnding == nil ? StoreKind.recognizing(text) : nil
    kind = store ?? byEnding?.name ?? found?.name ?? "json"
    try Self.check(kind, path)
  }

  /// The extensions of files that records can be read from and written to, but that are not stores.
  private static let tableEndings = [".csv", ".tsv", ".tab"]

  private static func check(_ kind: String, _ path: String) throws {
    guard kind != "memory" || path.isEmpty else {
      throw CommandError(
        "a memory store takes no path; remove \(Value.quoted(path)) or import it"
      )
    }
  }

  /// The letters before a colon, if they do not name a kind of store: a mistake, or a part of a file
  /// name.
  static func unknownScheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon]
    let isScheme = scheme.utf8.count > 1 && scheme.utf8.allSatisfy { (97...122).contains($0 | 32) }
    return isScheme && !StoreKind.all.contains { $0.name == scheme } ? String(scheme) : nil
  }

  /// Opens the store there.
  func open(_ opening: StoreOpening) throws -> ModelContainer {
    guard let kind = StoreKind.all.first(where: { $0.name == kind }) else {
      throw CommandError("unknown store kind \(Value.quoted(kind))")
    }
    return try kind.open(path, opening)
  }
}
