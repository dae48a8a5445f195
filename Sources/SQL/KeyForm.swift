import Foundation
package import OpenSwiftData

/// How the key of a record is kept in a table.
package enum KeyForm: Hashable, Sendable {
  /// A text that sorts by creation, in tables of our own.
  case own
  /// A whole number: a column `INTEGER PRIMARY KEY`, or the number of the row.
  case number
  /// One column or several of any type; for each, whether it converts values, see `MixedText`.
  ///
  /// `isText` is true for a single column of text, in which the key `15` is a text, too.
  case columns(convertsText: [Bool], isText: Bool = false)

  /// The number of columns.
  package var columnCount: Int {
    if case .columns(let columns, _) = self { columns.count } else { 1 }
  }

  /// The identifier of a record with this key; nil if a part is missing, or is not a key of this form.
  package func identifier(_ parts: [SQLValue], in scope: IdentifierScope) -> PersistentIdentifier? {
    switch self {
    case .own:
      guard case .text(let text) = parts[0] else { return nil }
      return OwnKey.identifier(text, in: scope)
    case .number:
      guard case .integer(let number) = parts[0] else { return nil }
      return scope.identifier(number: Int(number))
    case .columns:
      if parts.count == 1, case .integer(let number) = parts[0] {
        return scope.identifier(number: Int(number))
      }
      return text(of: parts).map { scope.identifier(text: $0) }
    }
  }

  /// The text of the identifier of a key of columns that is not a single number; nil if a part is missing.
  package func text(of parts: [SQLValue]) -> String? {
    guard case .columns(let converts, _) = self, !parts.contains(.null) else { return nil }
    let texts = zip(parts, converts).map { MixedText.text(of: $0, convertsText: $1) }
    // An empty text has no other form.
    if texts.count == 1 { return texts[0].isEmpty ? "''" : texts[0] }
    return texts.map(Self.encoded).joined(separator: "/")
  }

  /// The identifier with this text: that of a record, if one has it.
  package func identifier(parsing text: String, in scope: IdentifierScope) -> PersistentIdentifier {
    guard case .columns(let converts, let isText) = self else {
      return scope.identifier(parsing: text)
    }
    if converts.count == 1, !isText, let number = Int(text), String(number) == text {
      return scope.identifier(number: number)
    }
    return scope.identifier(text: text)
  }

  /// The values of the key columns; nil if no record of the table can have this identifier.
  package func parts(of identifier: PersistentIdentifier) -> [SQLValue]? {
    switch self {
    case .own: return identifier.isTemporary ? nil : [.text(OwnKey.text(of: identifier))]
    case .number: return identifier.numberKey.map { [.integer(Int64($0))] }
    case .columns(let converts, _):
      if identifier.isTemporary { return nil }
      if converts.count == 1 {
        if let number = identifier.numberKey { return [.integer(Int64(number))] }
        let text = identifier.description
        return [text == "''" ? .text("") : MixedText.value(of: text, convertsText: converts[0])]
      }
      let texts = identifier.description.split(separator: "/", omittingEmptySubsequences: false)
      guard texts.count == converts.count else { return nil }
      return zip(texts, converts).map { text, converts in
        MixedText.value(of: Self.decoded(text), convertsText: converts)
      }
    }
  }

  /// A part of a composite key, in which `/` separates the parts.
  private static func encoded(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("/", with: "%2F")
  }

  private static func decoded(_ text: Substring) -> String {
    String(text).replacing("%2F", with: "/").replacing("%25", with: "%")
  }
}

/// The text of a key in tables of our own: it sorts as the identifiers do, by creation.
package enum OwnKey {
  /// The text that is stored for an identifier.
  ///
  /// Record keys are written with their most significant digit first, the reverse of what people type.
  package static func text(of identifier: PersistentIdentifier) -> String {
    if let key = identifier.recordKey { return key.sortableText }
    if let number = identifier.numberKey {
      let digits = String(UInt64(bitPattern: Int64(number)) ^ 1 << 63, radix: 16)
      return "#" + String(repeating: "0", count: 16 - digits.count) + digits
    }
    return (identifier.uuidKey == nil ? "~" : "{") + identifier.description
  }

  /// The identifier with this text; nil if it is not a key.
  package static func identifier(_ text: String, in scope: IdentifierScope) -> PersistentIdentifier?
  {
    switch text.utf8.first {
    case UInt8(ascii: "#"):
      guard text.utf8.count == 17, let bits = UInt64(text.dropFirst(), radix: 16) else {
        return nil
      }
      return scope.identifier(number: Int(Int64(bitPattern: bits ^ 1 << 63)))
    case UInt8(ascii: "{"):
      return UUID(uuidString: String(text.dropFirst())).map { scope.identifier(uuid: $0) }
    case UInt8(ascii: "~"):
      return text.utf8.count > 1 ? scope.identifier(text: String(text.dropFirst())) : nil
    default: return RecordKey(sortableText: text).map { scope.identifier(key: $0) }
    }
  }

  /// The texts of record keys are between these two.
  package static let recordKeys = (first: "0", end: "{")

  /// The text of a link: the key, after the entity if it is not the declared one.
  static func linkText(_ link: PersistentIdentifier, declared: String) -> String {
    let name = link.entityName
    return name == declared ? text(of: link) : "|\(name.utf8.count)|\(name)\(text(of: link))"
  }

  /// The record that the text of a link names.
  static func link(_ text: String, _ scope: IdentifierScope, store: String) -> PersistentIdentifier?
  {
    guard text.utf8.first == UInt8(ascii: "|") else { return identifier(text, in: scope) }
    let bytes = Array(text.utf8.dropFirst())
    guard let bar = bytes.firstIndex(of: UInt8(ascii: "|")),
      let size = Int(String(decoding: bytes[..<bar], as: UTF8.self)), size > 0,
      bytes.count > bar + 1 + size
    else { return nil }
    let name = String(decoding: bytes[(bar + 1)..<(bar + 1 + size)], as: UTF8.self)
    let key = String(decoding: bytes[(bar + 1 + size)...], as: UTF8.self)
    return identifier(key, in: IdentifierScope(store: store, entity: name))
  }
}
