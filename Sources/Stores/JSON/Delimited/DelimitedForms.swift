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
  ///   - places: The digits of the column; nil for those of the value.
  /// - Returns: Its text.
  func text(of value: Value, in column: String, like former: String?, _ places: DecimalPlaces?)
    -> String?
  {
    switch value {
    case .null:
      guard !options.missing.isEmpty, let former else { return nil }
      return isMissing(former, in: column) ? former : words[column]
    default:
      if case .date = value, former.flatMap(CalendarDate.init) != nil { return nil }
      // A word for a missing value does not tell how others are spelled.
      let former = former.flatMap { options.usual($0) == nil ? nil : $0 }
      return options.text(
        of: value,
        like: former ?? dates[column],
        digits: places?.text(of: value)
      )
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
      suggest(
        column,
        "numbers or dates except \(named) in \(count); "
          + "--read missing=\(found.joined(separator: ","))"
      ) { options in
        let known = options.missing.everywhere
        options.missing.everywhere = known + found.filter { !known.contains($0) }
      }
    } else if let group = group(in: seen) {
      let mark = group == .space ? "blanks" : Value.quoted(group.rawValue)
      suggest(
        column,
        "numbers in groups with \(mark); --read \"thousands=\(group.rawValue)\""
      ) { $0.thousands = group }
    } else if facts.hasDecimalComma, !options.hasDecimalComma {
      suggest(column, "numbers with a decimal comma; --read decimal=comma") {
        $0.hasDecimalComma = true
      }
    }
  }

  private mutating func suggest(
    _ column: String,
    _ what: String,
    _ change: (inout ReadingOptions) -> Void
  ) {
    hints.append("column \(Value.quoted(column)) holds \(what)")
    var options = suggestion ?? options
    change(&options)
    // Options for two columns may contradict each other.
    if (try? options.checked()) != nil { suggestion = options }
  }

  /// The sign between groups of digits in a column that has nothing but numbers with it; nil for any other column.
  private func group(in seen: catalog_csv_seen) -> ReadingOptions.Thousands? {
    guard options.thousands == .none, seen.word_count == 0, seen.other_count > 0,
      seen.value_count + seen.other_count >= 2
    else { return nil }
    let groups: [ReadingOptions.Thousands] = [
      options.hasDecimalComma ? .point : .comma, .apostrophe, .space,
    ]
    return groups.enumerated().first { place, _ in
      let bit = UInt8(1) << UInt8(place)
      let isSure = seen.sure_groups & bit != 0 || place > 0 && seen.value_count > 0
      return isSure && seen.other_groups & bit == 0
    }?.element
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
