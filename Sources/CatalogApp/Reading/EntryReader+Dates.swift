import Foundation
import OpenSwiftData

extension EntryReader {
  /// Reads `2009-5-9`, `3 mar 72`, `5/9/2009`, `yesterday`, `last friday`, `in 3 days`; empty for a
  /// text that is not a date.
  func date(_ text: String) -> [DayMeaning] {
    let text = text.lowercased()
    let relative = convention == nil ? relativeDay(text.split(whereSeparator: \.isWhitespace)) : []
    if !relative.isEmpty { return relative }
    let words = Self.words(of: text)
    let hasName = words.contains { $0.first?.isLetter ?? false }
    return hasName ? Self.only(namedMonth(words)) : numericDate(text)
  }

  /// The words and numbers of a text; `3rd` and `3.` are numbers.
  private static func words(of text: String) -> [Substring] {
    text.split { $0.isWhitespace || ",.-/".contains($0) }.map { word in
      let digits = word.prefix(while: \.isNumber)
      let isOrdinal = ["st", "nd", "rd", "th"].contains(word.dropFirst(digits.count))
      return !digits.isEmpty && isOrdinal ? digits : word
    }
  }

  // MARK: Written dates

  /// Reads `3 mar 72`, `mar 3 1972`, `3 march`, `1972 mar 3`.
  private func namedMonth(_ words: [Substring]) -> CalendarDate? {
    guard (2...3).contains(words.count),
      let place = words.firstIndex(where: { $0.first?.isLetter ?? false }),
      let month = CalendarWords.month(words[place])
    else { return nil }
    var numbers = words
    numbers.remove(at: place)
    guard numbers.allSatisfy({ $0.allSatisfy(\.isNumber) && $0.count <= 4 }) else { return nil }
    if numbers.count == 2, numbers[0].count == 4 { numbers.swapAt(0, 1) }
    guard let day = Int(numbers[0]), numbers[0].count <= 2 else { return nil }
    guard numbers.count == 2 else {
      guard convention == nil else { return nil }
      return CalendarDate(year: today.components.year, month: month, day: day)
    }
    return year(numbers[1]).flatMap { CalendarDate(year: $0, month: month, day: day) }
  }

  /// A year; two digits mean the one that is at most twenty years ahead.
  private func year(_ text: Substring) -> Int? {
    guard let number = Int(text), text.count == 2 || text.count == 4 else { return nil }
    guard text.count == 2 else { return number }
    let current = today.components.year
    let year = current / 100 * 100 + number
    return year > current + 20 ? year - 100 : year
  }

  /// Reads `2009-5-9`, `9.5.2009`, `20090509`, and `5/9/2009`, which may mean two days.
  private func numericDate(_ text: String) -> [DayMeaning] {
    let separators = Set(text.filter { !$0.isNumber && !$0.isWhitespace })
    let parts = Self.words(of: text)
    guard separators.count <= 1, parts.allSatisfy({ $0.allSatisfy(\.isASCII) }) else { return [] }
    if parts.count == 1, parts[0].count == 8 {
      let digits = parts[0]
      return Self.only(
        date(digits.prefix(4), digits.dropFirst(4).prefix(2), digits.dropFirst(6))
      )
    }
    guard parts.count == 3 else { return [] }
    if parts[0].count == 4 { return Self.only(date(parts[0], parts[1], parts[2])) }
    if let order = convention?.dateOrder {
      let day: CalendarDate? =
        switch order {
        case .dmy: date(parts[2], parts[1], parts[0])
        case .mdy: date(parts[2], parts[0], parts[1])
        case .ymd: date(parts[0], parts[1], parts[2])
        }
      return Self.only(day)
    }
    let dayFirst = date(parts[2], parts[1], parts[0])
    // Where points separate the parts, the day is always the first.
    let monthFirst = separators == ["."] ? nil : date(parts[2], parts[0], parts[1])
    guard let dayFirst, let monthFirst, dayFirst != monthFirst else {
      return Self.only(dayFirst ?? monthFirst)
    }
    return [(dayFirst...dayFirst, "day first"), (monthFirst...monthFirst, "month first")]
  }

  private func date(_ year: Substring, _ month: Substring, _ day: Substring) -> CalendarDate? {
    guard let year = self.year(year), let month = Int(month), let day = Int(day) else { return nil }
    return CalendarDate(year: year, month: month, day: day)
  }

  // MARK: Moments

  /// Reads a date, alone or with a time such as `18:30` or `6pm`, in UTC as the screen shows it; nil for
  /// any other text.
  func moment(_ text: String) -> EntryReading? {
    var words = Self.separatingTime(text.lowercased()).split(whereSeparator: \.isWhitespace)
    if let last = words.last, last == "am" || last == "pm", words.count > 1 {
      words.removeLast()
      words[words.count - 1] = Substring(words[words.count - 1] + last)
    }
    if let last = words.last, let time = Self.time(last), words.count > 1 {
      if words[words.count - 2] == "at" { words.remove(at: words.count - 2) }
      return EntryReading(date(words.dropLast().joined(separator: " "))) { Self.moment($0, time) }
    }
    return EntryReading(date(text)) { Self.moment($0, 0) }
  }

  /// The text with a space in place of the `t` of `2009-5-9t18:30`.
  private static func separatingTime(_ text: String) -> String {
    let letters = Array(text)
    let place = letters.indices.dropFirst().dropLast().first {
      letters[$0] == "t" && letters[$0 - 1].isNumber && letters[$0 + 1].isNumber
    }
    guard let place else { return text }
    return String(letters[..<place]) + " " + String(letters[(place + 1)...])
  }

  private static func moment(_ day: CalendarDate, _ seconds: Int) -> Value {
    .datetime(Date(timeIntervalSince1970: Double(Int(day.daysSince1970) * 86_400 + seconds)))
  }

  /// The seconds since midnight of `18:30`, `18:30:15`, `6pm`, `6:30pm`; nil for any other text.
  private static func time(_ text: Substring) -> Int? {
    let half = text.hasSuffix("pm") ? 12 : text.hasSuffix("am") ? 0 : nil
    let clock = half == nil ? text : text.dropLast(2)
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    guard (half == nil ? 2...3 : 1...3).contains(parts.count),
      parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isNumber) })
    else { return nil }
    var numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count else { return nil }
    if let half {
      guard (1...12).contains(numbers[0]) else { return nil }
      numbers[0] = numbers[0] % 12 + half
    }
    numbers += Array(repeating: 0, count: 3 - numbers.count)
    guard numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else { return nil }
    return numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
  }
}
