import CSimdjson
import OpenSwiftData

/// What a text contains, without keeping any of it: a catalog header, or keys and kinds of values.
struct JSONSurvey {
  /// One array of records.
  struct Section {
    let entityName: String
    /// The keys in the order of their first appearance.
    var keys: [(name: String, facts: JSONFacts)] = []
  }

  private(set) var header: JSONHeader?
  private(set) var sections: [Section] = []
  private let format: TextFormat

  /// Reads until the first records are found, or to the end.
  ///
  /// - Throws: `JSONDamage`.
  init(_ pass: JSONPass, _ configuration: JSONStoreConfiguration, isComplete: Bool) throws {
    format = pass.format
    let entityName = configuration.entityName
    if format.isFlat { sections.append(Section(entityName: entityName)) }
    try pass.run { parser, batch, offset, window in
      try Interruption.check()
      var hasRecords = false
      for item in batch.items {
        switch Int(item.kind) {
        case CATALOG_JSON_SECTION_BEGIN:
          sections.append(Section(entityName: item.name == nil ? entityName : item.text))
        case CATALOG_JSON_MEMBER where item.text == JSONHeader.key:
          let range = Int(item.offset)..<Int(item.offset + item.length)
          header = try JSONHeader.read(window[range], at: offset + range.lowerBound)
        case CATALOG_JSON_RECORD: hasRecords = true
        default: break
        }
      }
      for place in sections.indices {
        let beside = configuration.typesBeside[sections[place].entityName] ?? [:]
        sections[place].keys = (0..<parser.keyCount(section: place)).map { key in
          let name = parser.keyName(key, section: place)
          let facts = parser.facts(key, section: place)
          return (name, beside[name].map { facts.union(JSONFacts(of: $0)) } ?? facts)
        }
      }
      return isComplete || !(hasRecords || header != nil)
    }
  }

  /// The schema: the header's, or the narrowest one for all values found.
  ///
  /// Keys that are not valid names in a schema are skipped.
  var schema: Schema {
    if let header { return header.schema }
    return Schema(
      sections.filter { Self.isName($0.entityName) }.map { section in
        let hasDecimalCommas = hasDecimalCommas(section)
        return Schema.Entity(
          section.entityName,
          attributes: section.keys.filter { Self.isName($0.name) }.map {
            attribute($0.name, $0.facts, hasDecimalCommas)
          }
        )
      }
    )
  }

  private func attribute(_ name: String, _ facts: JSONFacts, _ hasDecimalCommas: Bool)
    -> Schema.Attribute
  {
    if case .json(.named) = format, name == JSONLayout.nameField {
      return Schema.Attribute(name, .text, isOptional: false, isUnique: true)
    }
    let attribute = Schema.Attribute(name, type(of: facts, hasDecimalCommas))
    return format.dialect?.decimals[name].map(attribute.with) ?? attribute
  }

  private func type(of facts: JSONFacts, _ hasDecimalCommas: Bool) -> AttributeType {
    format.isSeparated ? facts.columnType(besideDecimalCommas: hasDecimalCommas) : facts.type
  }

  /// True if the numbers of a column have a decimal comma.
  private func hasDecimalCommas(_ section: Section) -> Bool {
    format.isSeparated && section.keys.contains { $0.facts.hasDecimalComma }
  }

  /// True if the part of the text read since has the same keys and no other types.
  func covers(_ found: JSONKeyedWindow.Keys, section: Int) -> Bool {
    guard section < sections.count else { return false }
    let keys = sections[section].keys
    guard found.facts.count <= keys.count else { return false }
    let had = hasDecimalCommas(sections[section])
    // Only the columns of separated values, which are all found, have such facts.
    let have =
      format.isSeparated
      && zip(keys, found.facts).contains { $0.facts.union($1).hasDecimalComma }
    return zip(keys, found.facts).allSatisfy { key, seen in
      had == have && key.facts.isSuperset(of: seen)
        || type(of: key.facts.union(seen), have) == type(of: key.facts, had)
    }
  }

  static func isName(_ name: String) -> Bool { !name.isEmpty && name.utf8.count <= 255 }
}

extension catalog_json_item {
  /// The decoded key; empty if there is none.
  var text: String {
    String(decoding: UnsafeBufferPointer(start: name, count: name_count), as: UTF8.self)
  }
}
