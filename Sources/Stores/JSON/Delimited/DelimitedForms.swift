import CSimdjson
import OpenSwiftData

/// How the values of a file are spelled, besides the usual way: words for missing ones, commas, dates.
struct DelimitedForms: Sendable, Equatable {
  /// What was said.
  var options = ReadingOptions()
  /// The most frequent word for a missing value, by column.
  private(set) var words: [String: String] = [:]
  /// The first date, by column.
  private(set) var dates: [String: String] = [:]
  /// What the columns seem to be, one sentence each.
  private(set) var hints: [String] = []
  /// What would have to be said for that.
  private(set) var suggestion: ReadingOptions?

  init(_ options: ReadingOptions = ReadingOptions()) { self.options = options }

  /// True if a text stands for a missing value.
  func isMissing(_ text: String, in column: String) -> Bool {
    !options.missing.isEmpty && options.missing.words(of: column).contains(text)
  }

  /// The value of a text, which may have another spelling than usual; nil if it has none.
  func value(_ text: String, as type: AttributeType) -> Value? {
    // A text that is not a value of the type is none.
    func parsed(_ text: String) -> Value? { try? Value(parsing: text, as: type) }
    guard type.isNumeric || type == .date else { return parsed(text) }
    if !options.changesValues, let value = parsed(text) { return value }
    return options.usual(text).flatMap(parsed) ?? parsed(text)
  }

  /// How a value is written; nil for the usual way.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - column: Its column.
  ///   - former: The text that it replaces; nil for none.
  /// - Returns: Its text.
  func text(of value: Value, in column: String, like former: String?) -> String? {
    switch value {
    case .null:
      guard !options.missing.isEmpty, let former else { return nil }
      return isMissing(former, in: column) ? former : words[column]
    default: return options.text(of: value, like: former ?? dates[column])
    }
  }

  /// Why a text cannot be written; nil if it can.
  func refusal(of text: String, in column: String) -> String? {
    guard isMissing(text, in: column) else { return nil }
    return "would be read as missing; say other words with --read missing=…"
  }
}

// MARK: Reading

extension DelimitedForms {
  /// Lets a parser of cells read values like this.
  func prepare(_ cells: OpaquePointer, _ columns: [String]) {
    guard options.changesValues else { return }
    let signs = options.numberSigns
    catalog_csv_set_forms(cells, signs.decimal, signs.group, options.dateForm)
    for (place, column) in columns.enumerated() {
      for word in options.missing.words(of: column) {
        var word = word
        word.withUTF8 { catalog_csv_add_missing(cells, place, $0.baseAddress, $0.count) }
      }
    }
  }

  /// Takes over what the columns were seen to have.
  mutating func take(_ cells: OpaquePointer, _ columns: [String], _ facts: (Int) -> JSONFacts) {
    self = DelimitedForms(options)
    for (place, column) in columns.enumerated() {
      let word = Int(catalog_csv_missing_word(cells, place))
      if word >= 0 { words[column] = options.missing.words(of: column)[word] }
      var count = 0
      if let start = catalog_csv_first_date(cells, place, &count), count > 0 {
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        dates[column] = String(decoding: bytes, as: UTF8.self)
      }
      suggest(catalog_csv_seen_in(cells, place), facts(place), column)
    }
  }

  /// Notes what a column of numbers or dates would need to be one.
  private mutating func suggest(_ seen: catalog_csv_seen, _ facts: JSONFacts, _ column: String) {
    let found = Self.words(in: seen)
    if !found.isEmpty {
      let count = seen.word_count == 1 ? "1 record" : "\(seen.word_count) records"
      let named = found.map { Value.quoted($0) }.joined(separator: " and ")
      hints.append(
        "column \(Value.quoted(column)) holds numbers or dates except \(named) in \(count); "
          + "--read missing=\(found.joined(separator: ","))"
      )
      var suggestion = suggestion ?? options
      let known = suggestion.missing.everywhere
      suggestion.missing.everywhere = known + found.filter { !known.contains($0) }
      self.suggestion = suggestion
    } else if facts.hasDecimalComma, !options.hasDecimalComma {
      hints.append(
        "column \(Value.quoted(column)) holds numbers with a decimal comma; --read decimal=comma"
      )
      var suggestion = suggestion ?? options
      suggestion.hasDecimalComma = true
      self.suggestion = suggestion
    }
  }

  private static let knownWords = [
    "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "--", ".", "?", "#N/A",
  ]

  /// The one or two words among the numbers or dates of a column; empty for any other column.
  private static func words(in seen: catalog_csv_seen) -> [String] {
    let words = knownWords.indices.filter { seen.words & (1 << UInt32($0)) != 0 }
      .map { knownWords[$0] }
    let isKnown =
      words.count <= 2 && seen.other_count == 0 && seen.value_count >= 3
      && seen.value_count * 10 >= (seen.value_count + seen.word_count) * 9
    return isKnown ? words : []
  }
}
