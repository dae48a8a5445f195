import Foundation

/// A text test made ready to run over many texts.
///
/// Works on UTF-8 bytes, so that a table can test texts where they lie. With options the text is folded
/// first: ASCII on the fly, anything else through its full case mapping and decomposition.
package struct TextMatcher {
  private let match: TextMatch
  private let pattern: [UInt8]
  private let expression: Regex<AnyRegexOutput>?
  private let characters: CharacterMatcher?
  private let folds: Bool

  /// Prepares the test.
  ///
  /// - Throws: `PersistenceError` with code `.invalidFilter` when the regular expression is none.
  package init(_ match: TextMatch) throws {
    self.match = match
    characters = CharacterMatcher(match)
    folds = !match.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    if match.operation == .matches {
      do {
        let source = try Regex(match.pattern)
        expression = match.options.contains(.caseInsensitive) ? source.ignoresCase() : source
      } catch {
        throw PersistenceError(
          .invalidFilter,
          "\(Value.quoted(match.pattern)) is not a regular expression",
          cause: error
        )
      }
      pattern = []
    } else {
      expression = nil
      pattern =
        characters?.bytes ?? Array(TextFolding.fold(match.pattern, match.options).utf8)
    }
  }

  /// Tests a text.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(utf8: $0) }
  }

  /// Tests a text given as valid UTF-8.
  ///
  /// - Complexity: O(n) in the length of the text for a short pattern; regular expressions may need more.
  package func matches(utf8 text: UnsafeBufferPointer<UInt8>) -> Bool {
    if let expression { return matches(expression, text) }
    if let characters { return matches(characters, text) }
    guard folds else { return test(text) }
    if TextFolding.isASCII(text) { return testASCII(text) }
    let capacity = FoldTable.capacity(for: text.count)
    let answer: Bool? = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { room in
      FoldTable.table(for: match.options).fold(text, into: room).map {
        test(UnsafeBufferPointer(rebasing: room[..<$0]))
      }
    }
    if let answer { return answer }
    var folded = TextFolding.fold(String(decoding: text, as: UTF8.self), match.options)
    return folded.withUTF8 { test($0) }
  }

  private func matches(_ characters: CharacterMatcher, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let decision = characters.decide(isASCII: TextFolding.isASCII(text)) {
      folds ? testASCII(text) : test(text)
    }
    return decision ?? characters.matches(String(decoding: text, as: UTF8.self))
  }

  /// Tests the text with its ASCII letters folded and everything else as it is.
  private func testASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(text.count, 1)) { buffer in
      TextFolding.foldASCII(text, into: buffer, match.options)
      return test(UnsafeBufferPointer(rebasing: buffer[..<text.count]))
    }
  }

  private func matches(
    _ expression: Regex<AnyRegexOutput>,
    _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let string = String(decoding: text, as: UTF8.self)
    let subject =
      match.options.contains(.diacriticInsensitive)
      ? TextFolding.fold(string, .diacriticInsensitive) : string
    // A match can only fail to run when the expression has no result type, which it has.
    return (try? expression.wholeMatch(in: subject)) != nil
  }

  private func test(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    switch match.operation {
    case .equals: text.count == pattern.count && text.elementsEqual(pattern)
    case .contains: contains(text)
    case .beginsWith: text.count >= pattern.count && text[..<pattern.count].elementsEqual(pattern)
    case .endsWith:
      text.count >= pattern.count && text[(text.count - pattern.count)...].elementsEqual(pattern)
    case .like: Self.isLike(text, pattern)
    case .matches: false
    }
  }

  private func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    pattern.withUnsafeBufferPointer { pattern in
      guard let first = pattern.first else { return true }
      guard text.count >= pattern.count, let start = text.baseAddress else { return false }
      let last = text.count - pattern.count
      var position = 0
      while position <= last {
        if start[position] == first {
          var length = 1
          while length < pattern.count, start[position + length] == pattern[length] { length += 1 }
          if length == pattern.count { return true }
        }
        position += 1
      }
      return false
    }
  }

  /// Matches `*` and `?` with one step back to the last star, so time is at most O(n · m).
  private static func isLike(_ text: UnsafeBufferPointer<UInt8>, _ pattern: [UInt8]) -> Bool {
    var position = 0
    var place = 0
    var star: (place: Int, position: Int)?
    while position < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, position)
        place += 1
      } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") {
        position = afterScalar(text, position)
        place += 1
      } else if place < pattern.count, pattern[place] == text[position] {
        position += 1
        place += 1
      } else if let last = star {
        star = (last.place, last.position + 1)
        position = last.position + 1
        place = last.place + 1
      } else {
        return false
      }
    }
    while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
    return place == pattern.count
  }

  private static func afterScalar(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
    var next = position + 1
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}

/// Makes texts alike that differ in case or accents only.
package enum TextFolding {
  /// The text in lower case, without accents, or both.
  package static func fold(_ text: String, _ options: TextMatch.Options) -> String {
    var result = text
    if options.contains(.diacriticInsensitive) {
      var scalars = String.UnicodeScalarView()
      scalars.append(
        contentsOf: result.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
          $0.properties.generalCategory != .nonspacingMark
        }
      )
      result = String(scalars)
    }
    // Upper case between: ß and ss, ſ and s become the same; before it ẞ becomes ß.
    // The final sigma is one letter with the others.
    return options.contains(.caseInsensitive)
      ? result.lowercased().uppercased().lowercased().replacing("ς", with: "σ") : result
  }

  static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var all: UInt8 = 0
    for byte in text { all |= byte }
    return all < 0x80
  }

  /// Folds ASCII text; accents do not occur in it.
  static func foldASCII(
    _ text: UnsafeBufferPointer<UInt8>,
    into buffer: UnsafeMutableBufferPointer<UInt8>,
    _ options: TextMatch.Options
  ) {
    let lowers = options.contains(.caseInsensitive)
    for position in 0..<text.count {
      let byte = text[position]
      buffer[position] = lowers && byte &- 65 < 26 ? byte | 0x20 : byte
    }
  }
}
