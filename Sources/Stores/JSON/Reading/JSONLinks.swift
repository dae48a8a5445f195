import OpenSwiftData

/// Parses the references between records of a file.
///
/// A reference is the key of a record. If the record belongs to a subclass of the declared entity,
/// the name of its entity and a slash precede the key; the same applies to keys that contain a
/// slash. Without an entity name, the whole text is the key.
struct JSONLinks: Sendable {
  private let scopes: [String: IdentifierScope]

  init(_ schema: Schema, storeIdentifier: String) {
    scopes = Dictionary(
      schema.entities.map {
        ($0.name, IdentifierScope(store: storeIdentifier, entity: $0.name))
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The record that a text refers to in a field; the scope is that of the declared entity.
  ///
  /// The text must not be empty.
  func identifier(utf8: UnsafeBufferPointer<UInt8>, in scope: IdentifierScope)
    -> PersistentIdentifier
  {
    guard let slash = utf8.firstIndex(of: UInt8(ascii: "/")), slash + 1 < utf8.count,
      let named = scopes[String(decoding: utf8[..<slash], as: UTF8.self)]
    else { return scope.identifier(utf8: utf8) }
    return named.identifier(utf8: UnsafeBufferPointer(rebasing: utf8[(slash + 1)...]))
  }
}

extension Value {
  /// The value of a field as the file shows it: references that need their entity include it.
  func written(for attribute: Schema.Attribute) -> Value {
    guard let declared = attribute.type.destination else { return self }
    switch self {
    case .link(let link) where link.isNamed(in: declared):
      return .text(link.named)
    case .links(let links) where links.contains(where: { $0.isNamed(in: declared) }):
      let texts = links.map { $0.isNamed(in: declared) ? $0.named : $0.description }
      return .json("[" + texts.map { JSONText.quoted($0) }.joined(separator: ", ") + "]")
    default: return self
    }
  }
}

extension Value {
  /// Converts a text that spells a JSON number or boolean; returns other values unchanged.
  var bare: Value {
    guard case .text(let text) = self else { return self }
    if text == "true" || text == "false" { return .json(text) }
    guard let first = text.utf8.first, let last = text.utf8.last,
      first == UInt8(ascii: "-") || (48...57).contains(first), (48...57).contains(last),
      JSONParser.fault(inValue: text) == nil
    else { return self }
    return .json(text)
  }
}

extension PersistentIdentifier {
  /// True if the entity must precede the key.
  fileprivate func isNamed(in declared: String) -> Bool {
    let isText = recordKey == nil && numberKey == nil && uuidKey == nil
    return entityName != declared || (isText && description.utf8.contains(UInt8(ascii: "/")))
  }

  fileprivate var named: String { "\(entityName)/\(description)" }
}
