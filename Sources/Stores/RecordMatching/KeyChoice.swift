import OpenSwiftData

/// The columns by which the records of a file are known.
struct MatchingKey: Sendable, Equatable {
  /// How much the key says by itself.
  enum Strength: Int, Sendable, Comparable {
    /// A guess, which half of the other values must support.
    case guess
    /// A name, a time, a number that counts, or the identifier of another table.
    case name
    /// An identifier by its name or kind, or one that was declared.
    case identifier

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The places of the columns.
  let columns: [Int]
  let strength: Strength
  /// True if the user or the schema says that it is the key.
  var isDeclared = false
  /// True for a column whose name or kind says that it identifies the records of this entity.
  var isIdentifier = false
}

/// Finds the key of the version that was edited.
///
/// Only that version decides, so that a mistake in the other one, such as a copied identifier, cannot switch to a weaker
/// key. Numbers that measure or count are never a key.
struct KeyChoice {
  private let versions: MatchedVersions
  private var rowCount: Int { versions.rowCounts.former }
  /// In a file with fewer records values may differ by chance.
  private static let shortCount = 8
  private var isShort: Bool { rowCount < Self.shortCount }

  init(_ versions: MatchedVersions) { self.versions = versions }

  /// The key; nil if there is none.
  var key: MatchingKey? {
    if rowCount == 0 { return nil }
    if let identifier { return identifier }
    let facts = versions.columns.indices.map { ColumnFacts($0, of: versions) }
    return name(facts) ?? combination(facts)
  }

  /// A column whose name or kind says that it identifies; the others are not examined.
  private var identifier: MatchingKey? {
    let ranked = versions.columns.indices.compactMap { place -> (rank: Int, fact: ColumnFacts)? in
      guard ColumnFacts.mayIdentify(place, of: versions) else { return nil }
      let fact = ColumnFacts(place, of: versions)
      return fact.identifierRank.map { ($0, fact) }
    }
    guard let best = ranked.min(by: { ($0.rank, $0.fact.place) < ($1.rank, $1.fact.place) }),
      best.rank == 0 || !isShort
    else { return nil }
    let isWeak = best.rank > 0 || best.fact.isCounting
    return MatchingKey(
      columns: [best.fact.place],
      strength: isWeak ? .name : .identifier,
      isIdentifier: best.rank == 0
    )
  }

  /// A name or a time, or in a longer file any column that differs and does not measure.
  private func name(_ facts: [ColumnFacts]) -> MatchingKey? {
    let all = facts.filter { $0.isDifferentEverywhere && !$0.isNumbering }
    let named = all.first {
      ($0.kind == .text && $0.isSimple && ColumnWords.names.contains($0.lastWord))
        || ($0.place == 0 && rowCount >= 4 && [.date, .whole].contains($0.kind)
          && ColumnWords.times.contains($0.lastWord))
    }
    let found =
      named
      ?? (isShort
        ? nil
        : all.first { fact in
          if ColumnWords.personNames.contains(fact.lastWord) { return false }
          if fact.lastWord == "name", !fact.isSimple { return false }
          switch fact.kind {
          case .text: return true
          case .whole: return fact.isDense(versions)
          case .date: return fact.isSorted(versions)
          default: return false
          }
        })
    return found.map { MatchingKey(columns: [$0.place], strength: .name) }
  }

  /// The first columns that differ together; measured numbers are left out.
  private func combination(_ facts: [ColumnFacts]) -> MatchingKey? {
    var columns: [Int] = []
    var codes: ValueCodes?
    var distinct = 1
    for fact in facts where fact.isPartOfKeys {
      let column = versions.columns[fact.place].codes
      let joined =
        codes.map { ValueCodes(joining: [$0, column], rowCounts: versions.rowCounts) } ?? column
      let count = Set(joined.former).count
      guard count > distinct || isShort else { continue }
      columns.append(fact.place)
      (codes, distinct) = (joined, count)
      if distinct == rowCount, !isShort || columns.count >= 2 { break }
    }
    guard let codes else { return nil }
    let once = codes.once.former
    guard 2 * codes.former.count(where: { once[$0] != nil }) >= rowCount else { return nil }
    let areParts = columns.allSatisfy { ColumnWords.parts.contains(facts[$0].lastWord) }
    return MatchingKey(columns: columns, strength: columns.count > 1 && areParts ? .name : .guess)
  }
}

/// What the former version says about a column.
private struct ColumnFacts {
  enum Kind { case none, boolean, whole, number, date, uuid, text }

  let place: Int
  let kind: Kind
  let lastWord: String
  /// True for a name of one word, or of the entity and one word.
  let isSimple: Bool
  /// True if all rows have different values.
  let isDifferentEverywhere: Bool
  /// True if nearly all values that exist are different.
  let isMostlyDifferent: Bool
  /// True if the values count the rows.
  let isCounting: Bool
  /// True if that is also what the name says.
  let isNumbering: Bool

  init(_ place: Int, of versions: MatchedVersions) {
    self.place = place
    let column = versions.columns[place]
    let words = ColumnWords.words(of: column.name)
    lastWord = words.last ?? column.name.lowercased()
    let entity = versions.entityName.lowercased()
    isSimple =
      words.count < 2
      || (words.count == 2 && !entity.isEmpty && (words[0] == entity || words[0] + "s" == entity))
    let codes = column.codes
    let once = codes.once.former
    let rowCount = codes.former.count
    let present = codes.former.count { $0 != 0 }
    let single = codes.former.count { once[$0] != nil }
    isDifferentEverywhere = single == rowCount
    isMostlyDifferent =
      present > 0 && (single == present || (rowCount >= 10 && 10 * single >= 9 * present))
    kind = present == 0 ? .none : Self.kind(of: column.former, versions.oldRows)
    isCounting =
      kind == .whole && isDifferentEverywhere
      && RowNumbers.count(versions.oldRows, in: column.former)
    isNumbering = isCounting && RowNumbers.isName(column.name)
  }

  /// False for a column that cannot be an identifier by its name and its first value.
  static func mayIdentify(_ place: Int, of versions: MatchedVersions) -> Bool {
    let column = versions.columns[place]
    let word = ColumnWords.words(of: column.name).last ?? column.name.lowercased()
    if isIdentifier(word) || column.former.kind == .uuid { return true }
    guard column.former.kind == .text else { return false }
    let first = versions.oldRows.first {
      !column.former.isNull(Int($0)) && !column.former.value(at: Int($0)).text.isEmpty
    }
    return first.map { isText(column.former.value(at: Int($0)).text, of: .uuid) } ?? false
  }

  private static func isIdentifier(_ word: String) -> Bool {
    ColumnWords.identifiers.contains(word) || word.hasSuffix("nummer")
  }

  /// 0 for the best identifiers; nil for a column that does not identify.
  var identifierRank: Int? {
    guard isMostlyDifferent, !isNumbering, kind != .boolean, kind != .none else { return nil }
    if kind == .uuid { return 0 }
    guard Self.isIdentifier(lastWord) else { return nil }
    return isSimple ? 0 : place == 0 ? 1 : 2
  }

  /// True if the column may be one of several that are a key together.
  var isPartOfKeys: Bool {
    !isNumbering
      && (kind == .text || kind == .date
        || (kind == .whole && ColumnWords.parts.contains(lastWord)))
  }

  /// True for whole numbers that are too close together to be measured.
  func isDense(_ versions: MatchedVersions) -> Bool {
    let column = versions.columns[place].former
    let numbers = versions.oldRows.compactMap { column.wholeNumber(at: Int($0)) }
    guard let least = numbers.min(), let greatest = numbers.max() else { return false }
    let count = Double(versions.rowCounts.former)
    return count * count >= 16 * (Double(greatest) - Double(least) + 1)
  }

  /// True if the values ascend or descend.
  func isSorted(_ versions: MatchedVersions) -> Bool {
    let column = versions.columns[place].former
    let texts = versions.oldRows.map { column.value(at: Int($0)).text }
    let pairs = zip(texts, texts.dropFirst())
    return pairs.allSatisfy { $0 <= $1 } || pairs.allSatisfy { $0 >= $1 }
  }

  private static func kind(of column: Column, _ rows: [Int32]) -> Kind {
    switch column.kind {
    case .integer: return .whole
    case .number, .decimal: return .number
    case .boolean: return .boolean
    case .date, .datetime: return .date
    case .uuid: return .uuid
    case .json, .link, .links: return .none
    case .text: break
    }
    var possible: [Kind] = [.boolean, .whole, .number, .date, .uuid]
    for row in rows where !column.isNull(Int(row)) {
      let text = column.value(at: Int(row)).text
      if text.isEmpty { continue }
      possible.removeAll { !isText(text, of: $0) }
      if possible.isEmpty { return .text }
    }
    return possible.first ?? .text
  }

  private static func isText(_ text: String, of kind: Kind) -> Bool {
    switch kind {
    case .boolean: return text == "true" || text == "false"
    case .whole: return SpelledNumber(text.utf8)?.isWhole == true
    case .number: return SpelledNumber(text.utf8) != nil
    case .date:
      return (try? Value(parsing: text, as: .date)) != nil
        || (try? Value(parsing: text, as: .datetime)) != nil
    case .uuid: return text.utf8.count == 36 && (try? Value(parsing: text, as: .uuid)) != nil
    case .none, .text: return false
    }
  }
}

/// What names of columns say.
enum ColumnWords {
  /// The last words of names of identifiers.
  static let identifiers: Set<String> = [
    "id", "uid", "uuid", "guid", "key", "code", "sku", "isbn", "issn", "ean", "upc", "gtin", "asin",
    "doi", "email", "mail", "url", "uri", "slug", "login", "username", "iban", "vin", "serial",
    "ssn", "symbol", "ticker", "hostname", "path", "filename", "number", "no", "nr", "num", "ref",
    "barcode", "imei", "mac", "pk", "oid", "#",
  ]
  static let names: Set<String> = [
    "name", "title", "word", "term", "label", "question", "setting",
  ]
  static let times: Set<String> = [
    "time", "timestamp", "date", "datetime", "day", "when", "month", "year",
  ]
  static let personNames: Set<String> = ["first", "last", "given", "family"]
  /// The last words of names of columns that are a key together with others.
  static let parts = identifiers.union(["line", "position", "item", "part", "version"])

  /// The words of a name, in small letters: `orderID` and `order_id` have two.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word.lowercased()) }
      word = ""
    }
    let letters = Array(name)
    for (place, letter) in letters.enumerated() {
      guard letter.isLetter else {
        end()
        if letter == "#" { words.append("#") }
        continue
      }
      let isAfterSmall = word.last?.isLowercase ?? false
      let isBeforeSmall = place + 1 < letters.count && letters[place + 1].isLowercase
      if letter.isUppercase, isAfterSmall || (isBeforeSmall && !word.isEmpty) { end() }
      word.append(letter)
    }
    end()
    return words
  }
}
