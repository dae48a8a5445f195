/// Turns any text into text that is safe to draw.
///
/// It is the one door through which data reaches a screen: controls, bidi overrides, invisible
/// and unassigned characters come out as visible stand-ins, marks are limited, and emoji that
/// terminals disagree about are taken apart, so that every terminal agrees on the columns.
struct Sanitiser {
  /// The marks that one scalar may carry; the C library's terminals draw no more.
  static let maximumMarks = 4

  private(set) var output = ""
  private(set) var width = 0

  /// The scalar that marks would sit on; nothing after a stand-in.
  private var base: Unicode.Scalar?
  private var previous: Unicode.Scalar?
  private var marks = 0

  /// Reads `raw` until it ends or more than `limit` cells are written.
  ///
  /// - Complexity: O(n) in the scalars read.
  mutating func read(_ raw: String, limit: Int) {
    let scalars = raw.unicodeScalars
    output.reserveCapacity(min(raw.utf8.count, 4 * min(limit, 4096)) + 16)
    var index = scalars.startIndex
    while index < scalars.endIndex, width <= limit {
      let scalar = scalars[index]
      scalars.formIndex(after: &index)
      let next = index < scalars.endIndex ? scalars[index] : nil
      if consume(scalar, next: next) { scalars.formIndex(after: &index) }
    }
  }

  /// Writes `scalar`, and says whether `next` was written with it.
  private mutating func consume(_ scalar: Unicode.Scalar, next: Unicode.Scalar?) -> Bool {
    let before = previous
    previous = scalar
    switch TextWidth.classify(scalar) {
    case .spacing(let cells):
      write(scalar, cells: cells)
    case .mark: attach(scalar, cells: 0)
    case .spacingMark: attach(scalar, cells: 1)
    case .jamoPart:
      if isHangulBase(base) { attach(scalar, cells: 0) } else { escape(scalar) }
    case .regionalIndicator:
      return writeFlag(scalar, next: next)
    case .skinTone:
      // Half of the terminals draw it in two cells of its own, half colour the emoji before it:
      // dropped behind one, and anywhere else not drawn as itself.
      if let base, before == base || isVariation(before), TextWidth.isPictograph(base) { break }
      escape(scalar)
    case .joiner: join(scalar, before: before, next: next)
    case .variationSelector:
      if let before, before == base, TextWidth.selectorIsInPlace(scalar, after: before) { break }
      escape(scalar)
    case .hidden: escape(scalar)
    }
    return false
  }

  private mutating func write(_ scalar: Unicode.Scalar, cells: Int) {
    output.unicodeScalars.append(scalar)
    width += cells
    base = scalar
    marks = 0
  }

  private mutating func attach(_ mark: Unicode.Scalar, cells: Int) {
    if base == nil { write("\u{25CC}", cells: 1) }
    marks += 1
    if marks <= Self.maximumMarks {
      output.unicodeScalars.append(mark)
      width += cells
    } else if marks == Self.maximumMarks + 1 {
      output.unicodeScalars.append("…")
      width += 1
    }
  }

  private mutating func writeFlag(_ first: Unicode.Scalar, next: Unicode.Scalar?) -> Bool {
    guard let next, TextWidth.classify(next) == .regionalIndicator else {
      escape(first)
      return false
    }
    write(first, cells: 1)
    write(next, cells: 1)
    previous = next
    return true
  }

  private mutating func join(
    _ joiner: Unicode.Scalar,
    before: Unicode.Scalar?,
    next: Unicode.Scalar?
  ) {
    guard let before, let base, let next, marks < Self.maximumMarks else { return escape(joiner) }
    if joiner.value == 0x200D, TextWidth.isPictograph(base), TextWidth.isPictograph(next) {
      return  // Dropped: the emoji stand side by side.
    }
    guard TextWidth.joinerMatters(after: before, before: next) else { return escape(joiner) }
    attach(joiner, cells: 0)
  }

  /// Writes the visible stand-in of `scalar`.
  private mutating func escape(_ scalar: Unicode.Scalar) {
    base = nil
    marks = 0
    let standIn: String
    switch scalar.value {
    case 0x09: standIn = "→"
    case 0x0A: standIn = "↵"
    case 0x0D: standIn = "␍"
    case 0x00...0x1F, 0x7F:
      standIn = "^" + String(Unicode.Scalar(UInt8(scalar.value ^ 0x40)))
    default:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      standIn = "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
    }
    output += standIn
    width += standIn.unicodeScalars.count
  }

  private func isVariation(_ scalar: Unicode.Scalar?) -> Bool {
    scalar?.value == 0xFE0F || scalar?.value == 0xFE0E
  }

  private func isHangulBase(_ scalar: Unicode.Scalar?) -> Bool {
    guard let value = scalar?.value else { return false }
    return (0x1100...0x115E).contains(value) || (0xA960...0xA97C).contains(value)
      || (0xAC00...0xD7A3).contains(value)
  }
}
