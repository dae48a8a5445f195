/// Converts any text to text that is safe to draw.
///
/// All data passes through it on the way to the screen. Controls, bidi overrides, and invisible and
/// unassigned characters become visible symbols. Marks are limited, and emoji that terminals draw
/// differently are split, so that every terminal agrees on the columns. Unchanged text is copied in
/// runs instead of scalars; a safe text is not copied at all.
struct Sanitizer {
  /// The maximum number of marks on one scalar; terminals that use the C library draw no more.
  static let maximumMarks = 4

  /// How a scalar is treated.
  private enum Treatment {
    case kept(cells: Int)
    case dropped
    case replaced(String, cells: Int)
    /// Kept, on a circle that it sits on.
    case keptOnCircle(cells: Int)
  }

  private(set) var width = 0
  private let raw: String
  private var output = ""
  /// The start of the part of `raw` that is copied unchanged.
  private var runStart: String.Index

  /// The scalar that marks would attach to; nil after a replacement symbol.
  private var base: Unicode.Scalar?
  private var previous: Unicode.Scalar?
  private var marks = 0
  /// Whether `previous` is the first half of a flag.
  private var isInFlag = false
  /// What is shown by a symbol in its place.
  private(set) var escaped: [Unicode.Scalar] = []

  init(_ raw: String) {
    self.raw = raw
    runStart = raw.startIndex
  }

  /// Reads until the text ends or takes more than `limit` cells; returns the text in a form that is
  /// safe to draw.
  ///
  /// - Complexity: O(n) in the scalars read.
  mutating func run(limit: Int) -> String {
    let scalars = raw.unicodeScalars
    var index = scalars.startIndex
    var next = index < scalars.endIndex ? scalars[index] : nil
    while let scalar = next, width <= limit {
      let after = scalars.index(after: index)
      next = after < scalars.endIndex ? scalars[after] : nil
      apply(fate(of: scalar, next: next), from: index, to: after)
      previous = scalar
      index = after
    }
    if output.isEmpty, runStart == raw.startIndex, index == raw.endIndex { return raw }
    output += raw[runStart..<index]
    return output
  }

  private mutating func apply(_ fate: Treatment, from start: String.Index, to end: String.Index) {
    switch fate {
    case .kept(let cells):
      width += cells
      return
    case .dropped:
      output += raw[runStart..<start]
      runStart = end
    case .replaced(let standIn, let cells):
      output += raw[runStart..<start]
      output += standIn
      width += cells
      runStart = end
    case .keptOnCircle(let cells):
      output += raw[runStart..<start]
      output += "\u{25CC}"
      width += 1 + cells
      runStart = start
    }
  }

  private mutating func fate(of scalar: Unicode.Scalar, next: Unicode.Scalar?) -> Treatment {
    switch TextWidth.classify(scalar) {
    case .spacing(let cells): return keepBase(scalar, cells: cells)
    case .mark: return attach(cells: 0)
    case .spacingMark: return attach(cells: 1)
    case .jamoPart: return isHangulBase(base) ? attach(cells: 0) : escape(scalar)
    case .regionalIndicator: return flag(scalar, next: next)
    case .skinTone:
      // Half of the terminals draw it in two separate cells, half color the emoji before it. So it is
      // dropped after an emoji and replaced anywhere else.
      if let base, previous == base || isVariation(previous), TextWidth.isPictograph(base) {
        return .dropped
      }
      return escape(scalar)
    case .joiner: return join(scalar, next: next)
    case .variationSelector:
      if let base, previous == base, TextWidth.selectorIsInPlace(scalar, after: base) {
        return .dropped
      }
      return escape(scalar)
    case .hidden: return escape(scalar)
    }
  }

  private mutating func keepBase(_ scalar: Unicode.Scalar, cells: Int) -> Treatment {
    base = scalar
    marks = 0
    isInFlag = false
    return .kept(cells: cells)
  }

  private mutating func attach(cells: Int) -> Treatment {
    if base == nil {
      base = "\u{25CC}"
      marks = 1
      return .keptOnCircle(cells: cells)
    }
    marks += 1
    if marks <= Self.maximumMarks { return .kept(cells: cells) }
    return marks == Self.maximumMarks + 1 ? .replaced("…", cells: 1) : .dropped
  }

  private mutating func flag(_ half: Unicode.Scalar, next: Unicode.Scalar?) -> Treatment {
    if isInFlag { return keepBase(half, cells: 1) }
    guard let next, TextWidth.classify(next) == .regionalIndicator else { return escape(half) }
    let fate = keepBase(half, cells: 1)
    isInFlag = true
    return fate
  }

  private mutating func join(_ joiner: Unicode.Scalar, next: Unicode.Scalar?) -> Treatment {
    guard let previous, let base, let next, marks < Self.maximumMarks else {
      return escape(joiner)
    }
    if joiner.value == 0x200D, TextWidth.isPictograph(base), TextWidth.isPictograph(next) {
      return .dropped  // The emoji stand side by side.
    }
    guard TextWidth.joinerMatters(after: previous, before: next) else { return escape(joiner) }
    return attach(cells: 0)
  }

  /// Returns the visible symbol for `scalar`.
  private mutating func escape(_ scalar: Unicode.Scalar) -> Treatment {
    base = nil
    marks = 0
    isInFlag = false
    escaped.append(scalar)
    switch scalar.value {
    case 0x09: return .replaced("→", cells: 1)
    case 0x0A: return .replaced("↵", cells: 1)
    case 0x0D: return .replaced("␍", cells: 1)
    case 0x00...0x1F, 0x7F:
      let letter = Unicode.Scalar(UInt8(scalar.value ^ 0x40))
      return .replaced("^" + String(letter), cells: 2)
    default:
      let standIn = "<" + scalar.codePoint + ">"
      return .replaced(standIn, cells: standIn.utf8.count)
    }
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

extension Unicode.Scalar {
  /// Its number as it is usually written, such as `U+200C`.
  var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
