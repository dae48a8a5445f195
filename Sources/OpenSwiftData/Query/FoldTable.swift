/// The folded forms of common characters, computed once from the full folding.
///
/// Contains Latin, Greek and Cyrillic letters, kana and general punctuation. Texts with other characters need the
/// full folding, except Chinese ideographs, Korean syllables and emoji, which stay as they are.
struct FoldTable: Sendable {
  private static let ranges: [Range<UInt32>] = [0x80..<0x530, 0x1E00..<0x2070, 0x3000..<0x3100]

  private static let ignoringCase = FoldTable(.caseInsensitive)
  private static let ignoringAccents = FoldTable(.diacriticInsensitive)
  private static let ignoringBoth = FoldTable([.caseInsensitive, .diacriticInsensitive])

  /// The table for options that fold something.
  static func table(for options: TextMatch.Options) -> FoldTable {
    guard options.contains(.caseInsensitive) else { return ignoringAccents }
    return options.contains(.diacriticInsensitive) ? ignoringBoth : ignoringCase
  }

  private let lowers: Bool
  private let keepsAccents: Bool
  /// The start of each character's form in `bytes`, followed by the end of the last one.
  private let starts: [UInt16]
  private let bytes: [UInt8]

  private init(_ options: TextMatch.Options) {
    lowers = options.contains(.caseInsensitive)
    keepsAccents = !options.contains(.diacriticInsensitive)
    var starts: [UInt16] = [0]
    var bytes: [UInt8] = []
    for value in Self.ranges.joined() {
      if let scalar = Unicode.Scalar(value) {
        bytes += TextFolding.fold(String(scalar), options).utf8
      }
      starts.append(UInt16(bytes.count))
    }
    self.starts = starts
    self.bytes = bytes
  }

  /// The buffer size sufficient for the folded form of a text with `count` bytes.
  static func capacity(for count: Int) -> Int { count * 3 + 8 }

  /// Folds valid UTF-8 and returns the number of bytes written; nil if a character is not in the table.
  ///
  /// - Precondition: The buffer has the size of `capacity(for:)`.
  /// - Complexity: O(n).
  func fold(
    _ text: UnsafeBufferPointer<UInt8>,
    into room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    precondition(room.count >= Self.capacity(for: text.count), "the folded text has no room")
    var count = 0
    var position = 0
    while position < text.count {
      let byte = text[position]
      if byte < 0x80 {
        room[count] = lowers && byte &- 65 < 26 ? byte | 0x20 : byte
        count += 1
        position += 1
        continue
      }
      let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      guard position + length <= text.count else { return nil }
      var scalar = UInt32(byte) & (0xFF >> UInt32(length + 1))
      for next in position + 1..<position + length {
        scalar = scalar << 6 | UInt32(text[next] & 0x3F)
      }
      if Self.staysAsItIs(scalar) {
        for next in position..<position + length { room[count + next - position] = text[next] }
        count += length
      } else {
        // A separate accent may combine with the letter before it.
        guard let index = Self.index(of: scalar), keepsAccents ? !Self.isMark(scalar) : true else {
          return nil
        }
        for place in Int(starts[index])..<Int(starts[index + 1]) {
          room[count] = bytes[place]
          count += 1
        }
      }
      position += length
    }
    return count
  }

  /// True for Chinese ideographs, Korean syllables and emoji.
  ///
  /// A syllable may combine only with letters that are not in the table.
  @inline(__always)
  private static func staysAsItIs(_ scalar: UInt32) -> Bool {
    0x4E00..<0xA000 ~= scalar || 0xAC00..<0xD7A4 ~= scalar || 0x1F300..<0x1FB00 ~= scalar
  }

  /// True for the combining marks in the table.
  @inline(__always)
  private static func isMark(_ scalar: UInt32) -> Bool {
    0x300..<0x370 ~= scalar || 0x483..<0x488 ~= scalar || 0x302A..<0x3030 ~= scalar
      || 0x3099..<0x309B ~= scalar
  }

  @inline(__always)
  private static func index(of scalar: UInt32) -> Int? {
    switch scalar {
    case 0x80..<0x530: Int(scalar - 0x80)
    case 0x1E00..<0x2070: Int(scalar - 0x1E00 + (0x530 - 0x80))
    case 0x3000..<0x3100: Int(scalar - 0x3000 + (0x2070 - 0x1E00) + (0x530 - 0x80))
    default: nil
    }
  }
}
