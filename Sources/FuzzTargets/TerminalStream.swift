/// Parses output for a terminal and counts what must not be part of it.
///
/// Valid are the sequences with which ncurses moves, clears and colors on an xterm, the controls
/// that move the cursor, and text that `SafeOutput` accepts.
package struct TerminalStream {
  private enum Place {
    case text
    case escape
    case charset
    case control([UInt8])
    /// A scalar of several bytes, and how many are missing.
    case scalar([UInt8], Int)
  }

  /// The number of invalid bytes or scalars.
  package private(set) var forbiddenCount = 0
  /// A description of the first of them.
  package private(set) var examples: [String] = []
  /// How many bytes were read.
  package private(set) var byteCount = 0
  private var place = Place.text
  private static let finals = Set("ABCDEFGHJKLMPSTXZ@`bdefghlmr".utf8)

  /// Starts before the first byte.
  package init() {}

  /// Reads the next bytes.
  package mutating func read(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      byteCount += 1
      read(byte)
    }
  }

  private mutating func read(_ byte: UInt8) {
    switch place {
    case .text: text(byte)
    case .escape: escape(byte)
    case .charset:
      place = .text
      if byte != UInt8(ascii: "B") && byte != UInt8(ascii: "0") { note("ESC ( \(byte)") }
    case .control(let parameters): control(byte, parameters)
    case .scalar(let bytes, let missing): scalar(bytes + [byte], missing - 1)
    }
  }

  private mutating func text(_ byte: UInt8) {
    switch byte {
    case 0x1B: place = .escape
    case 0x08, 0x09, 0x0A, 0x0D, 0x20...0x7E: break
    case 0xC2...0xDF: place = .scalar([byte], 1)
    case 0xE0...0xEF: place = .scalar([byte], 2)
    case 0xF0...0xF4: place = .scalar([byte], 3)
    default: note("the byte \(byte)")
    }
  }

  private mutating func escape(_ byte: UInt8) {
    place = .text
    switch byte {
    case UInt8(ascii: "["): place = .control([])
    case UInt8(ascii: "("), UInt8(ascii: ")"): place = .charset
    case UInt8(ascii: "7"), UInt8(ascii: "8"), UInt8(ascii: "="), UInt8(ascii: ">"),
      UInt8(ascii: "M"):
      break
    default: note("ESC \(byte)")
    }
  }

  private mutating func control(_ byte: UInt8, _ parameters: [UInt8]) {
    if (0x20...0x3F).contains(byte), parameters.count < 32 {
      place = .control(parameters + [byte])
      return
    }
    place = .text
    let text = String(decoding: parameters, as: UTF8.self)
    // The window title is saved and restored: 22 and 23.
    let isTitle = byte == UInt8(ascii: "t") && (text.hasPrefix("22;") || text.hasPrefix("23;"))
    guard Self.finals.contains(byte) || isTitle, !text.contains("31337") else {
      return note("ESC [ \(text) \(byte)")
    }
  }

  private mutating func scalar(_ bytes: [UInt8], _ missing: Int) {
    guard missing == 0 else {
      place = .scalar(bytes, missing)
      return
    }
    place = .text
    guard let text = String(validating: bytes, as: UTF8.self) else { return note("\(bytes)") }
    if let found = SafeOutput.firstForbidden(in: text) { note(found) }
  }

  private mutating func note(_ text: String) {
    forbiddenCount += 1
    if examples.count < 5 { examples.append("\(text) was sent to the terminal") }
  }
}
