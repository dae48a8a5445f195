import Foundation
import OpenSwiftData
import StoreFiles
import SwiftData

/// A folder of Markdown files, one for each record.
///
/// The file `alps.md` is the note with the key `alps`. Records of other entities have the entity in the name, as in
/// `7.Person.md`. The name of a new file comes from the title of the note.
public struct MarkdownFormat: StoreFormat {
  /// The entity whose files have no entity in their names.
  public let mainEntity: String
  private let folder: StoreFolder

  /// Names a folder, which need not exist yet.
  public init(_ url: URL, mainEntity: String = "Note") {
    folder = StoreFolder(url)
    self.mainEntity = mainEntity
  }

  /// The name of the folder.
  public var storeIdentifier: String? { folder.url.lastPathComponent }

  // MARK: Reading

  /// Reads all files that are records of the schema.
  public func load(_ store: FormatContext) throws -> FormatContents? {
    let names = try folder.stamps().keys.filter { $0.hasSuffix(".md") }.sorted()
    var records: [DefaultSnapshot] = []
    for name in names {
      // A file that was removed since is not a record.
      guard let file = try file(name) else { continue }
      if let record = try record(name, file, store) { records.append(record) }
    }
    return FormatContents(records)
  }

  /// The record of a file; nil if the schema does not have its entity.
  private func record(_ name: String, _ file: MarkdownFile, _ store: FormatContext) throws
    -> DefaultSnapshot?
  {
    let identifier = try identifier(String(name.dropLast(3)), store)
    guard let entity = store.schema.entitiesByName[identifier.entityName] else { return nil }
    guard fileName(of: identifier) == name else {
      throw problem(name, "rename it to \(fileName(of: identifier))")
    }
    var values: [String: Value] = [:]
    for entry in file.entries {
      guard let field = entity.fieldsByName[entry.name] else { continue }
      do {
        values[field.name] = try value(entry.text, as: field.type, store)
      } catch let error as ValueError {
        throw problem(name, "\(entry.name): \(error)")
      }
    }
    if entity.fieldsByName["body"]?.type == .text, values["body"] == nil {
      values["body"] = .text(file.body)
    }
    if entity.fieldsByName["title"]?.type == .text, values["title"] == nil {
      values["title"] = .text(identifier.description)
    }
    return DefaultSnapshot(persistentIdentifier: identifier, values: values)
  }

  private func value(_ text: String, as type: AttributeType, _ store: FormatContext) throws -> Value
  {
    if text.isEmpty { return .null }
    switch type {
    case .text: return .text(try MarkdownFile.unquoted(text))
    case .link:
      guard let link = try links(text, store).first else {
        throw ValueError("\"\(text)\" is not a link such as [[alps]]")
      }
      return .link(link)
    case .links: return .links(try links(text, store))
    default: return try Value(parsing: text, as: type)
    }
  }

  private func links(_ text: String, _ store: FormatContext) throws -> [PersistentIdentifier] {
    try text.matches(of: /\[\[(.+?)\]\]/).map { try identifier(String($0.1), store) }
  }

  // MARK: Writing

  /// Writes the files of new and changed records, and removes those of deleted ones.
  public func write(
    _ contents: FormatContents,
    changes: FormatChanges,
    over version: [String: FileStamp]?
  ) throws -> [String: FileStamp]? {
    var files: [String: Data] = [:]
    for record in changes.saved {
      guard let entity = contents.schema?.entitiesByName[record.persistentIdentifier.entityName]
      else { continue }
      let name = fileName(of: record.persistentIdentifier)
      // Lines of other programs stay in the file.
      let others = try file(name)?.entries.filter { entity.fieldsByName[$0.name] == nil } ?? []
      files[name] = Data(self.file(for: record, of: entity, others).text.utf8)
    }
    let removed = changes.deleted.map { fileName(of: $0.persistentIdentifier) }
    return try folder.write(files, removing: Set(removed), over: version)
  }

  private func file(
    for record: DefaultSnapshot,
    of entity: Schema.Entity,
    _ others: [MarkdownFile.Entry]
  ) -> MarkdownFile {
    var file = MarkdownFile()
    for field in entity.fields {
      let value = record[field.name] ?? .null
      if field.name == "body", case .text(let body) = value {
        file.body = body
      } else if value != field.defaultValue || ["title", "body"].contains(field.name) {
        file.entries.append(MarkdownFile.Entry(field.name, text(of: value)))
      }
    }
    file.entries += others
    return file
  }

  private func text(of value: Value) -> String {
    switch value {
    case .text(let text): MarkdownFile.quoted(text)
    case .link(let link): "[[\(stem(of: link))]]"
    case .links(let links):
      links.isEmpty ? "[]" : links.map { "[[\(stem(of: $0))]]" }.joined(separator: ", ")
    default: value.text
    }
  }

  // MARK: Names

  /// Letters and digits of the title with hyphens between the words.
  public func keyText(for record: DefaultSnapshot, attempt: Int) -> String? {
    guard case .text(let title) = record["title"] ?? record["name"] else { return nil }
    let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }
    let key = words.joined(separator: "-").prefix(60)
    return key.isEmpty ? nil : attempt == 1 ? String(key) : "\(key)-\(attempt)"
  }

  private func fileName(of identifier: PersistentIdentifier) -> String {
    stem(of: identifier) + ".md"
  }

  private func stem(of identifier: PersistentIdentifier) -> String {
    let key = Self.escaped(identifier.description)
    return identifier.entityName == mainEntity
      ? key : "\(key).\(Self.escaped(identifier.entityName))"
  }

  private func identifier(_ stem: String, _ store: FormatContext) throws -> PersistentIdentifier {
    let parts = stem.split(separator: ".", maxSplits: 1).map {
      String($0).removingPercentEncoding ?? String($0)
    }
    return try store.identifier(
      parts.count > 1 ? parts[1] : mainEntity,
      key: parts.first ?? ""
    )
  }

  /// The text without characters that have a meaning in file names and links.
  private static func escaped(_ text: String) -> String {
    let special = CharacterSet(charactersIn: "/.%[]|#\\").union(.controlCharacters)
    return text.addingPercentEncoding(withAllowedCharacters: special.inverted) ?? text
  }

  // MARK: Files

  private func file(_ name: String) throws -> MarkdownFile? {
    guard let data = try folder.read(name) else { return nil }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw problem(name, "not UTF-8")
    }
    return MarkdownFile(text)
  }

  private func problem(_ name: String, _ text: String) -> PersistenceError {
    PersistenceError(.damaged, "\(folder.url.path)/\(name): \(text)")
  }

  /// Any change of a file, a new file, and a missing one is another version.
  public func version() throws -> [String: FileStamp]? { try folder.stamps() }

  /// Excludes other programs that use this format; editors are not excluded.
  public func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try folder.withLock(body)
  }

  /// Reports changes of files.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    folder.watch(changed)
  }
}

/// Opens a folder of notes.
public typealias MarkdownConfiguration = FormatStoreConfiguration<MarkdownFormat>
