import CRE2

/// The pattern of `like`, in which `*` is any text and `?` any one character.
///
/// The parts between the stars are searched for in order, each at its first possible position. No part is
/// searched for twice, so many stars cost no more than one.
struct LikePattern {
  private let parts: [Part]

  private struct Part {
    let bytes: [UInt8]
    let hasWildcard: Bool
  }

  /// The maximum size in bytes of a pattern with `?`, which may be compared at every position of a text.
  static let limit = 4096

  /// Prepares a pattern in UTF-8, folded like the texts.
  ///
  /// - Throws: `PersistenceError` with code `.invalidFilter` when it is too long.
  init(_ pattern: [UInt8]) throws {
    let wildcard = UInt8(ascii: "?")
    parts = pattern.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map {
      Part(bytes: Array($0), hasWildcard: $0.contains(wildcard))
    }
    guard pattern.count <= Self.limit || !parts.contains(where: \.hasWildcard) else {
      throw PersistenceError(
        .invalidFilter,
        "like: pattern of \(pattern.count) bytes; with ? the limit is \(Self.limit)"
      )
    }
  }

  /// True when the whole text matches.
  ///
  /// - Complexity: O(n + m); with `?`, O(n · m).
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard var position = end(of: parts[0], in: text, at: 0) else { return false }
    if parts.count == 1 { return position == text.count }
    for part in parts.dropFirst().dropLast() {
      guard let found = endOfFirst(part, in: text, from: position) else { return false }
      position = found
    }
    return endsWithLast(text, from: position)
  }

  /// The end of the part at the position; nil if it does not match there.
  @inline(__always)
  private func end(of part: Part, in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    var position = start
    for byte in part.bytes {
      guard position < text.count else { return nil }
      if byte == UInt8(ascii: "?") {
        position += 1
        while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
      } else {
        guard text[position] == byte else { return nil }
        position += 1
      }
    }
    return position
  }

  /// The end of the first match of the part at or after the position.
  private func endOfFirst(
    _ part: Part,
    in text: UnsafeBufferPointer<UInt8>,
    from start: Int
  ) -> Int? {
    guard part.hasWildcard else {
      return part.bytes.withUnsafeBufferPointer { bytes in
        ByteSearch.first(bytes, in: text, from: start).map { $0 + bytes.count }
      }
    }
    for position in start..<max(start, text.count) where text[position] & 0xC0 != 0x80 {
      if let end = end(of: part, in: text, at: position) { return end }
    }
    return nil
  }

  /// True when the text ends with the last part, at or after the position.
  private func endsWithLast(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    let part = parts[parts.count - 1]
    var position = text.count
    for byte in part.bytes.reversed() {
      guard position > start else { return false }
      position -= 1
      if byte == UInt8(ascii: "?") {
        while position > start, text[position] & 0xC0 == 0x80 { position -= 1 }
        guard text[position] & 0xC0 != 0x80 else { return false }
      } else if text[position] != byte {
        return false
      }
    }
    return true
  }
}

/// Searches for bytes in bytes.
enum ByteSearch {
  /// The first position of the pattern at or after a position; that position for an empty pattern.
  ///
  /// - Complexity: O(n + m): the C library's search uses a two-way algorithm.
  static func first(
    _ pattern: UnsafeBufferPointer<UInt8>,
    in text: UnsafeBufferPointer<UInt8>,
    from start: Int
  ) -> Int? {
    guard let wanted = pattern.baseAddress, !pattern.isEmpty else { return start }
    guard let base = text.baseAddress, text.count - start >= pattern.count,
      let found = catalog_bytes_find(base + start, text.count - start, wanted, pattern.count)
    else { return nil }
    return found - base
  }
}
