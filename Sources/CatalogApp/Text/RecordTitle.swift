package import OpenSwiftData
import Synchronization

/// The title of a record in messages: the value of the field that names it.
package enum RecordTitle {
  /// The title of a record, shortened; empty if no field has one.
  ///
  /// The first field with a name for titles (`title`, `fullName`, `film_title`) is used, else the first
  /// unique text, else the first short text that is not an address or a category.
  package static func text(of values: [Value], in entity: Schema.Entity) -> String {
    var best: (rank: Int, text: String)?
    for (attribute, value) in zip(entity.fields, values) {
      if best?.rank == 0 { break }
      // Most records have a field with the name of a title, so that the texts of the others need no look.
      if let best, best.rank < leastRankOfTexts, facts(of: attribute.name).rank == nil { continue }
      guard let (text, rank) = ranked(value, attribute) else { continue }
      if best.map({ rank < $0.rank }) ?? true { best = (rank, text) }
    }
    return shortened(best?.text ?? "")
  }

  /// A title as it is shown.
  static func shortened(_ text: String) -> String {
    let isLong = text.utf8.count > 40 && text.prefix(41).count > 40
    return isLong ? text.prefix(39) + "…" : text
  }

  /// The best rank of a field without the name of a title.
  private static let leastRankOfTexts = 500

  /// A text that may be the title, with its rank.
  private static func ranked(_ value: Value, _ attribute: Schema.Attribute) -> (
    text: String, rank: Int
  )? {
    if let text = titleText(value, attribute) { return (text, rank(attribute, text)) }
    // In GeoJSON and the like, what names a record is inside an object.
    guard case .json(let json) = value, json.utf8.first == UInt8(ascii: "{"),
      json.utf8.count <= longestObject
    else { return nil }
    let names = JSONMemberScanner(json).memberNames.compactMap { name in
      titleRank(name).map { (name: name, rank: $0) }
    }
    guard let best = names.min(by: { $0.rank < $1.rank }),
      case .text(let text) = JSONPath([.member(best.name)]).value(in: value), !text.isEmpty
    else { return nil }
    return (text, 500 + best.rank)
  }

  /// The size of the largest objects that are searched for a title.
  static let longestObject = 10_000

  /// The field whose name is that of a title; nil if no field has such a name.
  static func titleField(of entity: Schema.Entity) -> String? { titleFields(of: entity).first }

  /// The fields whose names are those of titles, best first.
  static func titleFields(of entity: Schema.Entity) -> [String] {
    let ranked = entity.fields.enumerated().compactMap { place, field in
      field.type == .text && !field.isBlob
        ? titleRank(field.name).map { (name: field.name, rank: $0, place: place) } : nil
    }
    return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.name)
  }

  /// The text of a value; a string in a json field without its quotes.
  private static func titleText(_ value: Value, _ attribute: Schema.Attribute) -> String? {
    switch value {
    case .text where attribute.isBlob: return nil
    case .text(let text) where !text.isEmpty: return attribute.readableText(of: value) ?? text
    case .json(let json)
    where json.utf8.first == UInt8(ascii: "\"") && !json.utf8.contains(UInt8(ascii: "\\"))
      && json.utf8.count > 2:
      return String(json.dropFirst().dropLast())
    // A title that is a number is still a title.
    case .json(let json)
    where facts(of: attribute.name).rank != nil && json.first?.isNumber == true:
      return json
    default: return nil
    }
  }

  /// The rank of a text as a title, best first.
  private static func rank(_ attribute: Schema.Attribute, _ text: String) -> Int {
    let name = facts(of: attribute.name)
    if let rank = name.rank { return rank }
    if attribute.isUnique { return 1000 }
    // A long text is not searched: it may have a hundred million characters.
    let isShort = text.utf8.count <= 80 && !text.utf8.contains(UInt8(ascii: "\n"))
    let isAddress = isShort && isAddress(text)
    if isShort, !isAddress, !name.isCategory { return 2000 }
    return isShort ? 3000 : 4000
  }

  private static func isAddress(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") }
      && (text.contains("@") || text.contains("://"))
  }

  /// What the name of a field says about titles.
  private struct NameFacts {
    let rank: Int?
    let isCategory: Bool
  }

  /// The names that were looked at: there are few, and each change of a record needs a title.
  private static let known = Mutex<[String: NameFacts]>([:])

  private static func facts(of name: String) -> NameFacts {
    known.withLock { known in
      if let facts = known[name] { return facts }
      let facts = NameFacts(
        rank: titleRank(name),
        isCategory: words(of: name).contains(where: categories.contains)
      )
      if known.count >= 1000 { known = [:] }
      known[name] = facts
      return facts
    }
  }

  /// The rank of a field name as a title; nil for other names.
  static func titleRank(_ name: String) -> Int? {
    let words = words(of: name)
    guard let first = words.first, let last = words.last else { return nil }
    if words.count == 1 { return titles.firstIndex(of: first) }
    if let place = titles.firstIndex(of: last) {
      // A name of something else, such as a file or a user, ranks after a name of the record itself.
      let isOwn = ["full", "display", "short", "long", "main", "original"].contains(words[0])
      return 100 + place + (isOwn ? 0 : 100)
    }
    return titles.firstIndex(of: first).map { 300 + $0 }
  }

  /// The words of `fullName`, `film_title` or `Film Title` in lower case.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var isInside = false
    var wasLower = false
    for character in name {
      let isWord = character.isLetter || character.isNumber
      let begins = !isInside || (character.isUppercase && wasLower)
      if isWord {
        if begins { words.append("") }
        words[words.count - 1] += character.lowercased()
      }
      isInside = isWord
      wasLower = character.isLowercase || character.isNumber
    }
    return words
  }

  private static let titles = [
    "title", "name", "label", "headline", "subject", "caption", "heading", "topic", "summary",
    "question", "term", "word",
  ]
  private static let categories: Set<String> = [
    "id", "key", "uuid", "guid", "code", "url", "link", "href", "type", "kind", "status", "state",
    "category", "genre", "country", "language", "lang", "color", "colour", "currency", "unit",
    "email", "mail", "phone", "sex", "gender", "description", "notes", "comment", "text", "body",
  ]
}
