import CatalogApp
import Foundation
import OpenSwiftData

/// The location of a store: its kind and, unless it is in memory, a path or a URL.
struct StoreLocation: Equatable {
  /// What a location names.
  enum Place: Equatable {
    case memory
    case file(String)
    /// A URL as it was typed, which is never shown.
    case url(String)
  }

  let kind: String
  let place: Place
  /// The part of the store after `#`: the path of the value with the records of a JSON file, or an entity of a
  /// database; nil for the whole store.
  private(set) var fragment: String?
  /// True if neither an option, a scheme, the extension nor the content tells the kind.
  private(set) var isKindUnknown = false

  /// A store in memory, without a file.
  static let memory = StoreLocation(kind: "memory", place: .memory)

  private init(kind: String, place: Place) {
    self.kind = kind
    self.place = place
  }

  private init(kind: String, path: String) {
    self.init(kind: kind, place: kind == "memory" ? .memory : .file(path))
  }

  /// The location of a URL, which is kept whole.
  ///
  /// - Throws: `CommandError` if `--store` names another kind, or nothing follows the scheme.
  init(url: String, kind: StoreKind, store: String?) throws {
    guard store == nil || store == kind.name else {
      throw CommandError(
        "\(Value.quoted(LocationText.withoutPasswords(url))) conflicts with --store \(store ?? "")"
      )
    }
    guard !url.hasSuffix("://") else {
      throw CommandError("\(Value.quoted(url)): incomplete URL; expected SCHEME://HOST/…")
    }
    guard url.allSatisfy({ !$0.isWhitespace && $0 != "\"" }) else {
      throw CommandError(
        "\(kind.name): white space or a quote in the URL; write them percent-encoded, as in %20"
      )
    }
    self.init(kind: kind.name, place: .url(url))
  }

  /// The path of the file; empty for other locations.
  var path: String { if case .file(let path) = place { path } else { "" } }

  /// True for a file or a folder.
  var isFile: Bool { if case .file = place { true } else { false } }

  /// True for a URL.
  var isURL: Bool { if case .url = place { true } else { false } }

  /// The text that opens the same store again; nil in memory.
  var text: String? {
    switch place {
    case .memory: nil
    case .file(let path): "\(kind):\(path)" + (fragment.map { "#" + $0 } ?? "")
    case .url(let url): url
    }
  }

  /// The location as messages and recovery files name it, without a password.
  var shown: String {
    switch place {
    case .memory: "memory"
    case .file(let path): path
    case .url(let url): LocationText.withoutPasswords(url)
    }
  }

  /// Its name on the screen.
  var name: String {
    switch place {
    case .memory: "memory"
    case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
    // Parameters concern the connection, not the store.
    case .url: String(shown.prefix { $0 != "?" && $0 != "#" })
    }
  }

  /// Parses a location: `SCHEME:PATH`, or a path whose extension selects the kind, or else its content.
  ///
  /// - Throws: `CommandError` if the scheme contradicts `--store` or the path is missing.
  init(_ text: String, store: String? = nil, kinds: [StoreKind] = StoreKind.all) throws {
    if let (file, fragment) = Self.divided(text, kinds) {
      var location = try StoreLocation(file, store: store, kinds: kinds)
      if kinds.contains(where: { $0.name == location.kind && $0.part != .none }) {
        location.fragment = fragment
        self = location
        return
      }
    }
    if let (file, parameters) = Self.divided(text, kinds, by: "?") {
      var location = try StoreLocation(file, store: store, kinds: kinds)
      if kinds.contains(where: { $0.name == location.kind && $0.part == .entity }) {
        location.fragment = try Self.table(in: parameters, text)
        self = location
        return
      }
    }
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw CommandError("empty location; give a file name, such as films.json")
    }
    if let colon = text.firstIndex(of: ":"),
      let kind = kinds.first(where: { $0.name == text[..<colon] })
    {
      try Self.checkIsNoURLKind(kind, text)
      guard store == nil || store == kind.name else {
        throw CommandError("\(Value.quoted(text)) conflicts with --store \(store ?? "")")
      }
      let path = String(text[text.index(after: colon)...])
      try Self.check(kind.name, path)
      guard kind.isInMemory || !path.isEmpty else {
        throw CommandError("missing path after \(kind.name):")
      }
      self.init(kind: kind.name, path: path)
      return
    }
    guard text != "-" else {
      throw CommandError(
        "- is not a store; use \"import\" to read a file, or ./- to open a store named \"-\""
      )
    }
    if let kind = kinds.first(where: { $0.name == store }) { try Self.checkIsNoURLKind(kind, text) }
    let name = text.lowercased()
    let byEnding = kinds.first { $0.endings.contains { name.hasSuffix($0) } }
    let found = store == nil && byEnding == nil ? StoreKind.recognizing(text, among: kinds) : nil
    let kind = store ?? byEnding?.name ?? found?.name ?? "json"
    try Self.check(kind, text)
    self.init(kind: kind, path: text)
    isKindUnknown = store == nil && byEnding == nil && found == nil
  }

  /// The extension of a file whose kind nothing tells; nil for any other location, and for a name without one.
  var unknownExtension: String? {
    let name = path.split(separator: "/").last ?? ""
    guard isKindUnknown, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return nil
    }
    let ending = name[dot...]
    return ending.count > 1 ? String(ending) : nil
  }

  /// The entity in `table=NAME`, which URLs of databases have.
  private static func table(in parameters: String, _ text: String) throws -> String {
    guard parameters.hasPrefix("table="), !parameters.contains("&"),
      let name = String(parameters.dropFirst(6)).removingPercentEncoding, !name.isEmpty
    else {
      throw CommandError(
        "\(Value.quoted(text)): invalid parameter; use ?table=NAME, and --read-only to write nothing"
      )
    }
    return name
  }

  /// Divides `FILE#PART` if there is such a file, and none with the whole name.
  private static func divided(_ text: String, _ kinds: [StoreKind], by separator: Character = "#")
    -> (String, String)?
  {
    guard let mark = text.firstIndex(of: separator), mark != text.startIndex else { return nil }
    let named = text.firstIndex(of: ":").flatMap { colon in
      colon < mark && kinds.contains { $0.name == text[..<colon] } ? text.index(after: colon) : nil
    }
    let start = named ?? text.startIndex
    let files = FileManager.default
    guard !files.fileExists(atPath: String(text[start...])),
      files.fileExists(atPath: String(text[start..<mark]))
    else { return nil }
    return (String(text[..<mark]), String(text[text.index(after: mark)...]))
  }

  /// Refuses a path for a kind that opens URLs only.
  private static func checkIsNoURLKind(_ kind: StoreKind, _ text: String) throws {
    guard let scheme = kind.schemes.first else { return }
    throw CommandError(
      "\(Value.quoted(text)): a \(kind.name) store is not a file; give a URL: \(scheme)://…"
    )
  }

  private static func check(_ kind: String, _ path: String) throws {
    guard kind != "memory" || path.isEmpty else {
      throw CommandError(
        "a memory store takes no path; remove \(Value.quoted(path)) or import it"
      )
    }
  }

  /// The letters before a colon, if they do not name a kind of store: a mistake, or a part of a file
  /// name.
  static func unknownScheme(of text: String, among kinds: [StoreKind]) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon]
    let isScheme = scheme.utf8.count > 1 && scheme.utf8.allSatisfy { (97...122).contains($0 | 32) }
    return isScheme && !kinds.contains { $0.name == scheme } ? String(scheme) : nil
  }

  /// Opens the store there.
  ///
  /// - Throws: The error of the store, or `CommandError` for an unknown kind.
  func open(_ opening: StoreOpening, kinds: [StoreKind]) throws -> ModelContainer {
    guard let found = kinds.first(where: { $0.name == kind }) else {
      throw CommandError("unknown store kind \(Value.quoted(kind))")
    }
    if case .url(let url) = place { return try found.open(url, opening) }
    var opening = opening
    if found.part == .value { opening.fragment = fragment }
    let container = try found.open(path, opening)
    guard let name = entityName(kinds: kinds) else { return container }
    let entities = container.schema.entities.map(\.name)
    guard entities.contains(name) else {
      container.close()
      throw CommandError(Suggestion.message("\(path): unknown entity", name, among: entities))
    }
    return container
  }

  /// The entity that a URL names after `#`, if it is not all of them: `TABLE` or `SCHEMA.TABLE`.
  func entityName(in schema: Schema) -> String? {
    guard case .url(let url) = place, let mark = url.firstIndex(of: "#") else { return nil }
    let part = String(url[url.index(after: mark)...])
    let text = part.removingPercentEncoding ?? part
    let names =
      [text]
      + text.indices.filter { text[$0] == "." }.prefix(1).map {
        String(text[text.index(after: $0)...])
      }
    return names.first { schema.entitiesByName[$0] != nil }
  }

  /// The entity after `#` in the location of a database.
  func entityName(kinds: [StoreKind]) -> String? {
    kinds.contains { $0.name == kind && $0.part == .entity } ? fragment : nil
  }
}
