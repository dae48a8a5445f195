import OpenSwiftData

/// Field names separated by commas, each optionally with a sign, as `sort` and `fields` accept them.
///
/// A name is bare, in `backticks`, or in single or double quotes.
struct FieldList {
  /// One field, and the sign before it.
  struct Item {
    let name: String
    let isDescending: Bool
  }

  /// What the names stand for.
  enum Use {
    /// Fields alone.
    case fields
    /// Columns: fields, the identifier and paths, each once.
    case columns
    /// The same in any number, each perhaps in dictionary order.
    case sortKeys
    /// The same by a person, who may type the beginning of a name, in any case.
    case typedSortKeys

    fileprivate var isSorting: Bool { self == .sortKeys || self == .typedSortKeys }
  }

  private let entity: Schema.Entity
  /// The schema for paths; nil if there can be none.
  private let schema: Schema?
  private let use: Use
  private var bytes: ArraySlice<UInt8>

  /// Parses the names; `locate` runs the parsing of each with the index of its first byte.
  ///
  /// - Throws: `CommandError` if a name or a quote is missing, `PersistenceError` for an unknown field,
  ///   or the errors to which `locate` converts them.
  static func items(
    _ bytes: ArraySlice<UInt8>,
    of entity: Schema.Entity,
    in schema: Schema? = nil,
    as use: Use = .fields,
    locate: (Int, () throws -> [Item]) throws -> [Item]
  ) throws -> [Item] {
    let text = String(decoding: bytes, as: UTF8.self)
    var list = FieldList(entity: entity, schema: schema, use: use, bytes: bytes)
    var items: [Item] = []
    repeat {
      items += try locate(list.bytes.startIndex) { try list.element(in: text) }
    } while list.take(",")
    guard list.bytes.isEmpty else {
      return try locate(list.bytes.startIndex) { throw Self.noList(text) }
    }
    return items
  }

  private static func noList(_ text: String) -> CommandError {
    CommandError("invalid field list \(Value.quoted(text)); use A,B,C")
  }

  private mutating func take(_ sign: Character) -> Bool {
    guard let value = sign.asciiValue, bytes.first == value else { return false }
    bytes.removeFirst()
    return true
  }

  /// The items up to the next comma; several if quotes enclose a whole list.
  private mutating func element(in text: String) throws -> [Item] {
    let isDescending = take("-")
    if !isDescending { _ = take("+") }
    if let quote = bytes.first, quote == UInt8(ascii: "`") {
      return [try item(quoted(by: quote) + takeEnding(), isDescending)]
    }
    if let quote = bytes.first, "\"'".utf8.contains(quote) {
      let content = try quoted(by: quote)
      if isName(content) { return [try item(content + takeEnding(), isDescending)] }
      return try plainItems(content, isDescending, in: text)
    }
    let name = bytes.prefix { $0 != UInt8(ascii: ",") }
    bytes = bytes[name.endIndex...]
    return try plainItems(String(decoding: name, as: UTF8.self), isDescending, in: text)
  }

  private func isName(_ text: String) -> Bool {
    entity.fieldsByName[text] != nil || use != .fields && text == entity.identifierKey
  }

  /// The ending of a sort key after a quoted name; empty if there is none.
  private mutating func takeEnding() -> String {
    let ending = SortKey.dictionaryEnding
    guard use.isSorting, bytes.starts(with: Array(ending.utf8)) else { return "" }
    bytes = bytes.dropFirst(ending.utf8.count)
    return ending
  }

  private func item(_ written: String, _ isDescending: Bool) throws -> Item {
    let name = fullName(written)
    try check(name)
    return Item(name: name, isDescending: isDescending)
  }

  /// The name that a person means.
  private func fullName(_ name: String) -> String {
    guard use == .typedSortKeys, !isName(name) else { return name }
    let ending = name.hasSuffix(SortKey.dictionaryEnding) ? SortKey.dictionaryEnding : ""
    let typed = String(name.dropLast(ending.count))
    let path = schema.flatMap { FieldPath(typed: typed, of: entity, in: $0)?.name }
    return (entity.fieldName(typed: typed) ?? path).map { $0 + ending } ?? name
  }

  private func check(_ name: String) throws {
    if isName(name) { return }
    if use.isSorting, name.hasSuffix(SortKey.dictionaryEnding) {
      return try check(String(name.dropLast(SortKey.dictionaryEnding.count)))
    }
    if let schema, try FieldPath(name, of: entity, in: schema) != nil { return }
    _ = try entity.attribute(named: name)
  }

  /// The items of a list without quotes.
  private func plainItems(_ list: String, _ isDescending: Bool, in text: String) throws -> [Item] {
    try list.split(separator: ",", omittingEmptySubsequences: false).enumerated().map {
      place,
      part in
      var (name, descends) = (part, isDescending)
      if place > 0 || !isDescending, part.hasPrefix("-") || part.hasPrefix("+") {
        descends = part.hasPrefix("-")
        name = part.dropFirst()
      }
      guard !name.isEmpty else { throw Self.noList(text) }
      return try item(String(name), descends)
    }
  }

  private mutating func quoted(by quote: UInt8) throws -> String {
    bytes.removeFirst()
    var content: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == quote {
        guard quote == UInt8(ascii: "`"), bytes.first == quote else {
          return String(decoding: content, as: UTF8.self)
        }
        bytes.removeFirst()
        content.append(byte)
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        guard let escaped = TextEscape.take(from: &bytes) else {
          throw CommandError(TextEscape.hint)
        }
        content += escaped
      } else {
        content.append(byte)
      }
    }
    throw CommandError("unclosed \(Character(Unicode.Scalar(quote)))")
  }
}

extension Arguments {
  /// Reads a list of fields; as columns, each may occur only once.
  ///
  /// - Throws: As `FieldList.items`, and `CommandError` for a column that is given twice.
  mutating func requireFields(
    _ what: String,
    of entity: Schema.Entity,
    in schema: Schema? = nil,
    as use: FieldList.Use = .fields
  ) throws -> [FieldList.Item] {
    let word = try require(what)
    let raw = Array(line.text.utf8)
    let isInLine = word.end <= raw.count && word.start < word.end
    let bytes = isInLine ? raw[word.start..<word.end] : Array(word.text.utf8)[...]
    let arguments = self
    var names: Set<String> = []
    return try FieldList.items(bytes, of: entity, in: schema, as: use) { offset, read in
      try arguments.locating(word, at: isInLine ? offset : word.start) {
        let items = try read()
        for item in items where !names.insert(item.name).inserted && use == .columns {
          throw CommandError("duplicate field \(Value.quoted(item.name))")
        }
        return items
      }
    }
  }
}
