extension JSONSource {
  /// The damage at the end of the line on which its record begins, where the record should have ended.
  ///
  /// Without that end, the parser goes on in the next lines and meets the damage there. If records before have several
  /// lines, or if there are none, the record may have several lines, too, and the damage stays as it is.
  ///
  /// - Complexity: O(n) in the text before the damage.
  func atEndOfLine(_ damage: JSONDamage) throws -> JSONDamage {
    guard let recordsEnd = damage.recordsEnd else { return damage }
    var lines = RecordLines(recordsEnd: recordsEnd)
    var place = 0
    while place < damage.offset, lines.end == nil, lines.areRecords {
      let bytes = try bytes(in: place..<min(place + 1 << 16, damage.offset))
      for byte in bytes where lines.end == nil && lines.areRecords { lines.take(byte) }
      place += bytes.count
    }
    guard let end = lines.end, lines.areRecords, lines.count > 0 else { return damage }
    return JSONDamage(
      offset: end,
      message: "expected the rest of the record, found the end of the line"
    )
  }
}

/// The lines up to a record, read byte by byte.
private struct RecordLines {
  /// Where the complete records end.
  let recordsEnd: Int
  /// The number of lines with a record.
  private(set) var count = 0
  /// False if a line seems to have only a part of a record.
  private(set) var areRecords = true
  /// The end of the line on which the record after the complete ones begins; nil before it.
  private(set) var end: Int?

  private var offset = 0
  /// The first and the last byte of the line that are not blank; nil for a blank line.
  private var first: (byte: UInt8, offset: Int)?
  private var last: (byte: UInt8, offset: Int)?

  init(recordsEnd: Int) { self.recordsEnd = recordsEnd }

  mutating func take(_ byte: UInt8) {
    defer { offset += 1 }
    switch byte {
    case UInt8(ascii: "\n"): endLine()
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
    // The mark of the encoding.
    case _ where offset < JSONPass.mark.count && JSONPass.mark.contains(byte): break
    default:
      if first == nil { first = (byte, offset) }
      last = (byte, offset)
    }
  }

  private mutating func endLine() {
    guard let first, let last else { return }
    if first.offset >= recordsEnd {
      end = last.offset + 1
    } else {
      areRecords =
        last.offset < recordsEnd && first.byte == UInt8(ascii: "{")
        && last.byte == UInt8(ascii: "}")
      count += 1
    }
    (self.first, self.last) = (nil, nil)
  }
}
