import Foundation

/// A text test prepared for many texts.
///
/// Works on UTF-8 bytes, so a table can test texts in place. With options, the text is folded first: ASCII on
/// the fly, other text with full case mapping and decomposition.
package struct TextMatcher {
  private let match: TextMatch
  private let pattern: [UInt8]
  private let expression: RegularExpression?
  private let like: LikePattern?
  private let characters: CharacterMatcher?
  private let folds: Bool

  /// Prepares the test.
  ///
  /// - Throws: `PersistenceError` with code `.invalidFilter` when the pattern is invalid or too large.
  package init(_ match: TextMatch) throws {
    self.match = match
    characters = CharacterMatcher(match)
    folds = !match.options.isDisjoint(with: [
      .caseInsensitive, .diacriticInsensitive, .asciiCaseInsensitive,
    ])
    if match.operation == .matches {
      expression = try Self.expression(match)
      pattern = []
      like = nil
    } else {
      expression = nil
      pattern =
        characters?.bytes ?? Array(TextFolding.fold(match.pattern, match.options).utf8)
      like = match.operation == .like ? try LikePattern(pattern) : nil
    }
  }

  /// The regular expression; with `[d]` it is folded like the texts.
  private static func expression(_ match: TextMatch) throws -> RegularExpression {
    do {
      return try RegularExpression(
        TextFolding.normalize(match.pattern, match.options),
        ignoresCase: match.options.contains(.caseInsensitive)
      )
    } catch {
      throw PersistenceError(
        .invalidFilter,
        "\(Value.quoted(match.pattern)) \(error)",
        cause: error
      )
    }
  }

  /// Tests a text.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(utf8: $0) }
  }

  /// Tests a text given as valid UTF-8.
  ///
  /// - Complexity: O(n) in the length of the text; for a `like` with `?`, O(n · m).
  package func matches(utf8 text: UnsafeBufferPointer<UInt8>) -> Bool {
    if matchesWhole(text) { return true }
    guard match.options.contains(.jsonStrings), text.first == UInt8(ascii: "\"") else {
      return false
    }
    guard text.contains(UInt8(ascii: "\\")) else {
      return matchesWhole(UnsafeBufferPointer(rebasing: text.dropFirst().dropLast()))
    }
    var characters = TextMatch.characters(ofJSON: text)
    return characters?.withUTF8 { matchesWhole($0) } ?? false
  }

  private func matchesWhole(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if let expression { return matches(expression, text) }
    if let characters { return matches(characters, text) }
    guard folds else { return test(text) }
    if match.options.contains(.asciiCaseInsensitive) || TextFolding.isASCII(text) {
      return testASCII(text)
    }
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
    _ expression: RegularExpression,
    _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard folds, !TextFolding.isASCII(text) else { return expression.matches(utf8: text) }
    var subject = TextFolding.normalize(String(decoding: text, as: UTF8.self), match.options)
    return subject.withUTF8 { expression.matches(utf8: $0) }
  }

  private func test(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    switch match.operation {
    case .equals: text.count == pattern.count && text.elementsEqual(pattern)
    case .contains: contains(text)
    case .beginsWith: text.count >= pattern.count && text[..<pattern.count].elementsEqual(pattern)
    case .endsWith:
      text.count >= pattern.count && text[(text.count - pattern.count)...].elementsEqual(pattern)
    case .like: like?.matches(text) ?? false
    case .matches: false
    }
  }

  private func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    pattern.withUnsafeBufferPointer { ByteSearch.first($0, in: text, from: 0) != nil }
  }
}

/// Folds texts so that differences in case or accents disappear.
package enum TextFolding {
  /// The text in lower case, without accents, or both, whatever the encoding of its characters.
  package static func fold(_ text: String, _ options: TextMatch.Options) -> String {
    guard options.contains(.caseInsensitive) else {
      let normal = normalize(text, options)
      return options.contains(.asciiCaseInsensitive) ? normal.asciiLowercased : normal
    }
    // The step through upper case makes ß equal to ss and ſ equal to s; the lower case before it turns ẞ into
    // ß. The final sigma becomes equal to the others.
    return normalize(text, options).lowercased().uppercased().lowercased()
      .replacing("ς", with: "σ").precomposedStringWithCanonicalMapping
  }

  /// The UTF-8 of the folded text, as `fold(_:_:)` returns it, at much less cost for most texts.
  ///
  /// - Complexity: O(n) in the length of the text.
  package static func foldedBytes(_ text: String, _ options: TextMatch.Options) -> [UInt8] {
    if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) {
      return Array(text.utf8)
    }
    var text = text
    let folded = text.withUTF8 { bytes -> [UInt8]? in
      if isASCII(bytes) {
        return Array(unsafeUninitializedCapacity: bytes.count) { buffer, count in
          foldASCII(bytes, into: buffer, options)
          count = bytes.count
        }
      }
      let table = FoldTable.table(for: options)
      return withUnsafeTemporaryAllocation(
        of: UInt8.self,
        capacity: FoldTable.capacity(for: bytes.count)
      ) { room in
        table.fold(bytes, into: room).map { Array(room[..<$0]) }
      }
    }
    return folded ?? Array(fold(text, options).utf8)
  }

  /// The text in composed form, without accents if they are ignored; unchanged without options.
  static func normalize(_ text: String, _ options: TextMatch.Options) -> String {
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
    return options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
      ? result : result.precomposedStringWithCanonicalMapping
  }

  /// True for a text without characters beyond ASCII.
  package static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
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
    let lowers = !options.isDisjoint(with: [.caseInsensitive, .asciiCaseInsensitive])
    for position in 0..<text.count {
      let byte = text[position]
      buffer[position] = lowers && byte &- 65 < 26 ? byte | 0x20 : byte
    }
  }
}
