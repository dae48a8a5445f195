import Foundation
package import OpenSwiftData

/// How the values of a field are kept in a column.
///
/// `value(of:)` and `stored(_:)` are inverse to each other: a value that a form cannot give back exactly is not of
/// this form, and a table with such a value shows the column in the form `mixed`.
package indirect enum ColumnForm: Hashable, Sendable {
  /// Text.
  case text
  /// A whole number.
  case integer
  /// A floating-point number; NaN, which SQLite has not, as the text `NaN`.
  case number
  /// 0 or 1.
  case boolean
  /// The digits of a decimal, as text.
  case decimal
  /// `YYYY-MM-DD`.
  case date
  /// A moment, as text.
  case moment(MomentStyle)
  /// A UUID as text in small letters.
  case uuid
  /// JSON text.
  case json
  /// Bytes; with `keepsTexts`, as in tables of our own, also a text that spells none, as other stores may have it.
  case blob(keepsTexts: Bool = false)
  /// The key of a record.
  case link(LinkForm)
  /// A JSON list of keys, in tables of our own.
  case links(LinkForm)
  /// Values of several types, in the form of `MixedText`; if `convertsNumbers`, the column turns text that looks like a
  /// number into one, and if `isReal`, also whole numbers into floating-point numbers.
  ///
  /// With `keepsSpelling`, the column is not declared for numbers: a text that it would spell in another way is not of
  /// this form. Other columns take the number: `8.0` is `8`. What is typed is stored as the form `typed` would if it is of
  /// that form: `false` as 0, a moment as most others are.
  case mixed(
    convertsText: Bool,
    convertsNumbers: Bool = false,
    isReal: Bool = false,
    keepsSpelling: Bool = false,
    typed: ColumnForm? = nil
  )

  /// The value that is shown for a stored one; nil if it is not of this form.
  package func value(of stored: SQLValue) -> Value? {
    if case .null = stored { return .null }
    switch (self, stored) {
    case (.text, .text(let text)): return .text(text)
    case (.integer, .integer(let number)): return .integer(number)
    case (.number, .real(let number)): return .number(number)
    case (.number, .integer(let number)): return Double(exactly: number).map { .number($0) }
    case (.number, .text("NaN")): return .number(.nan)
    case (.boolean, .integer(0)): return .boolean(false)
    case (.boolean, .integer(1)): return .boolean(true)
    case (.decimal, .text(let text)): return Self.decimal(text)
    case (.date, .text(let text)):
      return CalendarDate(text).flatMap { $0.description == text ? .date($0) : nil }
    case (.moment(let style), .text(let text)): return style.date(of: text).map { .datetime($0) }
    case (.uuid, .text(let text)):
      return UUID(uuidString: text).flatMap {
        $0.uuidString.lowercased() == text ? .uuid($0) : nil
      }
    case (.json, .text(let text)): return .json(text)
    case (.blob, .bytes(let bytes)): return .text(Data(bytes).base64EncodedString())
    // A text that spells bytes would be stored as these bytes.
    case (.blob(keepsTexts: true), .text(let text)):
      return Self.bytes(spelledBy: text) == nil ? .text(text) : nil
    case (.link(let form), _): return form.identifier(of: stored).map { .link($0) }
    case (.links(let form), .text(let text)): return form.identifiers(of: text).map { .links($0) }
    case (.mixed(let converts, _, _, _, _), _):
      return .text(MixedText.text(of: stored, convertsText: converts))
    default: return nil
    }
  }

  /// The bytes whose usual form in base 64 the text is.
  private static func bytes(spelledBy text: String) -> [UInt8]? {
    guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text else {
      return nil
    }
    return Array(bytes)
  }

  private static func decimal(_ text: String) -> Value? {
    guard let decimal = Decimal(string: text), decimal.isFinite else { return nil }
    return .decimal(decimal)
  }

  /// The value to store; nil for a value that is not of this form.
  package func stored(_ value: Value) -> SQLValue? {
    if case .mixed(let converts, let convertsNumbers, let isReal, let keepsSpelling, _) = self,
      case .text(let text) = value
    {
      let stored = MixedText.value(of: text, convertsText: converts)
      guard convertsNumbers, case .text(let kept) = stored else { return stored }
      if keepsSpelling, !Affinity.numeric.keepsSpelling(of: kept) { return nil }
      return MixedText.isKept(kept, asText: kept != text, isReal: isReal) ? stored : nil
    }
    switch (self, value) {
    case (_, .null): return .null
    case (.text, .text(let text)): return .text(text)
    case (.integer, .integer(let number)): return .integer(number)
    case (.number, .number(let number)): return number.isNaN ? .text("NaN") : .real(number)
    case (.boolean, .boolean(let isTrue)): return .integer(isTrue ? 1 : 0)
    case (.decimal, .decimal): return .text(value.text)
    case (.date, .date(let date)): return .text(date.description)
    case (.moment(let style), .datetime(let date)): return style.text(of: date).map { .text($0) }
    case (.uuid, .uuid): return .text(value.text)
    case (.json, .json(let text)): return .text(text)
    case (.blob(let keepsTexts), .text(let text)):
      // A text that is not the usual form of its bytes is kept as it is, or not at all.
      return Self.bytes(spelledBy: text).map { .bytes($0) } ?? (keepsTexts ? .text(text) : nil)
    case (.link(let form), .link(let link)): return form.stored(link)
    case (.links(let form), .links(let links)): return form.stored(links).map { .text($0) }
    default: return nil
    }
  }

  /// True if stored values compare as the values do, by bytes or as numbers.
  package var isComparedAsStored: Bool {
    switch self {
    case .text, .integer, .number, .boolean, .date, .uuid, .json: true
    case .moment(let style): style.isOrdered
    case .link(let form): form.isComparedAsStored
    case .decimal, .blob, .links, .mixed: false
    }
  }

  /// True if values are stored as text, except what is kept exactly by another type.
  package var isText: Bool {
    switch self {
    case .text, .date, .moment, .uuid, .json: true
    default: false
    }
  }

  /// True if equal values are stored equally.
  package var isEqualAsStored: Bool {
    if case .link = self { true } else { isComparedAsStored }
  }

  /// The collation of the program that orders stored values; nil if they are ordered as stored.
  package var collation: String? {
    switch self {
    case .decimal: "catalog_decimal"
    case .links: "catalog_links"
    default: nil
    }
  }
}

/// How a link is stored: the key of the other record.
package struct LinkForm: Hashable, Sendable {
  /// The entity that the link is declared for.
  package let entity: String
  let store: String
  let scope: IdentifierScope
  let key: KeyForm

  /// Describes the links to an entity.
  package init(to entity: String, key: KeyForm, store: String) {
    (self.entity, self.key, self.store) = (entity, key, store)
    scope = IdentifierScope(store: store, entity: entity)
  }

  var isComparedAsStored: Bool {
    if case .columns = key { false } else { true }
  }

  func identifier(of stored: SQLValue) -> PersistentIdentifier? {
    guard key == .own else { return key.identifier([stored], in: scope) }
    guard case .text(let text) = stored else { return nil }
    return OwnKey.link(text, scope, store: store)
  }

  func stored(_ link: PersistentIdentifier) -> SQLValue? {
    if link.isTemporary { return nil }
    if key == .own { return .text(OwnKey.linkText(link, declared: entity)) }
    guard link.entityName == entity else { return nil }
    return key.parts(of: link)?.first
  }

  func identifiers(of text: String) -> [PersistentIdentifier]? {
    guard let texts = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) else {
      return nil
    }
    let links = texts.compactMap { OwnKey.link($0, scope, store: store) }
    return links.count == texts.count ? links : nil
  }

  func stored(_ links: [PersistentIdentifier]) -> String? {
    if links.contains(where: \.isTemporary) { return nil }
    let texts = links.map { OwnKey.linkText($0, declared: entity) }
    let isPlain = texts.allSatisfy { $0.utf8.allSatisfy { (48...122).contains($0) && $0 != 92 } }
    if isPlain { return "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
    return (try? JSONEncoder().encode(texts)).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension ColumnForm: ValueForm {
  /// The value in this form that is stored in the same way as a value in the other form.
  package func value(of value: Value, in former: any ValueForm) -> Value? {
    guard let former = former as? ColumnForm else { return nil }
    return former.stored(value).flatMap { self.value(of: $0) }
  }

  /// The number that a text becomes in a column with a numeric affinity, such as `8` for `8.0`, and what a column with
  /// values of several types has for `false` or a moment; any other value as it is.
  package func settled(_ value: Value) -> Value {
    guard case .mixed(_, let convertsNumbers, let isReal, _, let typed) = self else { return value }
    if case .text(let text) = value, let stored = typed?.stored(text: text) {
      return self.value(of: stored) ?? value
    }
    guard convertsNumbers, case .text(let text)? = stored(value) else { return value }
    return self.value(of: (isReal ? Affinity.real : .numeric).kept(.text(text))) ?? value
  }

  /// The letters of bytes that are not UTF-8 in Windows-1252; the value stays the exact bytes.
  package func letters(of text: String) -> String? {
    guard case .damagedText(let bytes)? = stored(.text(text)) else { return nil }
    return String(bytes: bytes, encoding: .windowsCP1252)
      ?? String(bytes: bytes, encoding: .isoLatin1)
  }

  /// What is stored for a text that spells a value of this form; nil for other texts and forms.
  private func stored(text: String) -> SQLValue? {
    switch self {
    case .boolean: ["true": .integer(1), "false": .integer(0)][text]
    case .moment: (try? Value(parsing: text, as: .datetime)).flatMap(stored)
    default: nil
    }
  }
}
