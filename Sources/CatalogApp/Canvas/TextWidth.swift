import CUTF8Proc

/// The effect of a scalar on the cells of a line, by the tables of libutf8proc.
///
/// Layout, drawing and the check against the terminal all use this table.
enum ScalarClass: Equatable {
  /// Takes this many cells: 1 or 2.
  case spacing(Int)
  /// Combines with the scalar before it and takes no cell.
  case mark
  /// Belongs to the scalar before it and takes one cell after it.
  case spacingMark
  /// A Hangul vowel or final consonant, drawn inside the syllable before it.
  case jamoPart
  /// Half of a flag.
  case regionalIndicator
  /// The color of an emoji's skin.
  case skinTone
  /// ZERO WIDTH JOINER or ZERO WIDTH NON-JOINER.
  case joiner
  /// Selects one of several forms of the scalar before it.
  case variationSelector
  /// Must never reach a terminal unchanged.
  case hidden
}

/// Looks up how scalars are drawn.
///
/// - Complexity: O(1) for each call; the common ranges need no table.
enum TextWidth {
  /// Returns how `scalar` is drawn.
  static func classify(_ scalar: Unicode.Scalar) -> ScalarClass {
    switch scalar.value {
    case 0x20...0x7E: .spacing(1)
    case 0xA0...0xAC, 0xAE...0x2FF: .spacing(1)
    case 0x370...0x377, 0x400...0x482, 0x48A...0x4FF: .spacing(1)
    case 0x1160...0x11FF, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB:
      scalar.value == 0x1160 ? .hidden : .jamoPart
    case 0x200C, 0x200D: .joiner
    case 0x2010...0x2027, 0x2500...0x257F: .spacing(1)
    case 0x3041...0x3096, 0x30A1...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: .spacing(2)
    case 0x180B...0x180D, 0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: .variationSelector
    case 0x1F1E6...0x1F1FF: .regionalIndicator
    case 0x1F3FB...0x1F3FF: .skinTone
    default: classifyByTable(scalar)
    }
  }

  /// Returns the number of cells that `scalar` takes: 0, 1 or 2.
  static func width(of scalar: Unicode.Scalar) -> Int { width(of: classify(scalar)) }

  /// Returns the number of cells that scalars of a class take.
  static func width(of kind: ScalarClass) -> Int {
    switch kind {
    case .spacing(let width): width
    case .spacingMark, .regionalIndicator: 1
    case .mark, .jamoPart, .joiner, .skinTone, .variationSelector, .hidden: 0
    }
  }

  /// Tests whether a joiner has letters of a joining script on both sides.
  ///
  /// The rule is that of UAX 31, A1 and A2: between Arabic-like letters, or after a virama.
  static func joinerMatters(after before: Unicode.Scalar, before after: Unicode.Scalar) -> Bool {
    let isVirama = before.properties.canonicalCombiningClass.rawValue == 9
    if isVirama { return isLetter(after) && after.value >= 0x900 }
    return joins(before) && joins(after) && isLetter(after)
  }

  /// Tells whether `scalar` can be part of an emoji that is joined from several.
  static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0xFF && scalar.properties.isEmoji && classify(scalar) != .skinTone
  }

  /// Tells whether `selector` is one that Unicode defines for scalars such as `base`.
  static func selectorIsInPlace(_ selector: Unicode.Scalar, after base: Unicode.Scalar) -> Bool {
    switch selector.value {
    case 0xFE0E, 0xFE0F: base.properties.isEmoji
    case 0x180B...0x180F: (0x1820...0x18AA).contains(base.value)
    case 0xE0100...0xE01EF: base.properties.isIdeographic
    default: base.value > 0xFF && classify(base) != .hidden
    }
  }

  private static func classifyByTable(_ scalar: Unicode.Scalar) -> ScalarClass {
    let code = utf8proc_int32_t(bitPattern: scalar.value)
    switch utf8proc_category(code) {
    case UTF8PROC_CATEGORY_CN, UTF8PROC_CATEGORY_CO, UTF8PROC_CATEGORY_CS, UTF8PROC_CATEGORY_CC,
      UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP:
      return .hidden
    case UTF8PROC_CATEGORY_CF:
      // The signs that Arabic, Syriac and Kaithi write over the digits after them are visible.
      return isPrependedSign(scalar.value) ? .spacing(1) : .hidden
    default: break
    }
    if scalar.properties.isDefaultIgnorableCodePoint { return .hidden }
    switch utf8proc_category(code) {
    case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME: return .mark
    // libutf8proc counts these as 0, but terminals and the C library give them a cell.
    case UTF8PROC_CATEGORY_MC: return .spacingMark
    default:
      let width = Int(utf8proc_charwidth(code))
      return width == 0 ? .hidden : .spacing(width)
    }
  }

  private static func isPrependedSign(_ value: UInt32) -> Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: true
    default: false
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    guard case .spacing = classify(scalar) else { return false }
    return scalar.properties.isAlphabetic
  }

  private static func joins(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x620...0x6FF, 0x710...0x77F, 0x7CA...0x7FF, 0x840...0x85B, 0x860...0x8FF: true
    case 0x1807, 0x1820...0x18AA, 0xA840...0xA873, 0x1E900...0x1E94B: true
    default: false
    }
  }
}
