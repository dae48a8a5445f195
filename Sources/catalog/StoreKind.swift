import CatalogApp
import OpenSwiftData
import Stores

/// A kind of store the program can open: its name on the command line, its file name extensions and how
/// to open it.
///
/// To add a kind, write one value of this type in a file of its own and add one line to `all`.
struct StoreKind: Sendable {
  /// Its name for `--store` and in the scheme of a location.
  let name: String
  /// The file name extensions that select it.
  let endings: [String]
  /// The extension of the default file; nil if the kind has no file.
  let defaultEnding: String?
  /// Opens the store; a path that does not exist is an empty store, not written before the first save.
  let open: @Sendable (_ path: String, _ opening: StoreOpening) throws -> ModelContainer

  /// Every kind, in the order of the help.
  static let all: [StoreKind] = [.memory, .json, .log]

  /// Their names in words: `memory, json or log`.
  static var names: String {
    let names = all.map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

/// How a store is opened.
struct StoreOpening {
  /// The entities for a store without any.
  var schema: Schema?
  /// True if the store is never written.
  var isReadOnly: Bool
  /// How much history a store keeps in its file, if it has one.
  var history = HistoryRetention.all
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

  /// Parses a location: `SCHEME:PATH`, or a path whose extension selects the kind.
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
      guard kind.defaultEnding == nil || !path.isEmpty else {
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
    kind = store ?? byEnding?.name ?? "json"
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
