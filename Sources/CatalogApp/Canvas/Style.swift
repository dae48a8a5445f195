/// A colour, as far as a terminal can be asked for it.
package enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case `default`
  /// One of the 256 of xterm; the first 16 look as the terminal's user likes them.
  case indexed(UInt8)
  /// Red, green and blue.
  case rgb(UInt8, UInt8, UInt8)

  /// Returns the nearest colour that a terminal of `count` colours has.
  package func degraded(to count: Int) -> Color {
    switch self {
    case .default: return .default
    case .indexed(let index) where Int(index) < count: return self
    case .indexed, .rgb:
      if count < 8 { return .default }
      if count > 256 { return self }
      let candidates = count < 16 ? 0..<8 : count < 256 ? 0..<16 : 16..<256
      return nearest(in: candidates)
    }
  }

  /// The red, green and blue parts as xterm draws them; nil for the default.
  package var components: (red: Int, green: Int, blue: Int)? {
    switch self {
    case .default: nil
    case .rgb(let red, let green, let blue): (Int(red), Int(green), Int(blue))
    case .indexed(let index): Self.components(ofIndex: Int(index))
    }
  }

  private static func components(ofIndex index: Int) -> (red: Int, green: Int, blue: Int) {
    if index < 16 {
      let level = index == 7 ? 229 : index == 8 ? 127 : index > 8 ? 255 : 205
      if index == 8 { return (level, level, level) }
      return (index & 1 * level, (index >> 1) & 1 * level, (index >> 2) & 1 * level)
    }
    if index >= 232 {
      let level = 8 + 10 * (index - 232)
      return (level, level, level)
    }
    let steps = [0, 95, 135, 175, 215, 255]
    let cube = index - 16
    return (steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6])
  }

  private func nearest(in candidates: Range<Int>) -> Color {
    guard let own = components else { return .default }
    let best = candidates.min { left, right in
      Self.distance(own, Self.components(ofIndex: left))
        < Self.distance(own, Self.components(ofIndex: right))
    }
    return .indexed(UInt8(best ?? 0))
  }

  private static func distance(
    _ left: (red: Int, green: Int, blue: Int),
    _ right: (red: Int, green: Int, blue: Int)
  ) -> Int {
    let red = left.red - right.red
    let green = left.green - right.green
    let blue = left.blue - right.blue
    return 2 * red * red + 4 * green * green + 3 * blue * blue
  }
}

/// How a cell is drawn beside its colours.
package struct Attributes: OptionSet, Hashable, Sendable {
  /// One bit for each attribute.
  package let rawValue: UInt8

  /// Creates a set from its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Heavier strokes.
  package static let bold = Attributes(rawValue: 1)
  /// Fainter than the rest.
  package static let dim = Attributes(rawValue: 2)
  /// Slanted, where the terminal can.
  package static let italic = Attributes(rawValue: 4)
  /// A line under the text.
  package static let underline = Attributes(rawValue: 8)
  /// Foreground and background exchanged.
  package static let reverse = Attributes(rawValue: 16)
}

/// How a role looks.
package struct Style: Hashable, Sendable {
  /// The colour of the text.
  package var foreground: Color
  /// The colour behind the text.
  package var background: Color
  /// What is done to the text besides.
  package var attributes: Attributes

  /// Creates a style; by default the terminal's plain text.
  package init(
    foreground: Color = .default,
    background: Color = .default,
    attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  /// Returns the style as a terminal of `count` colours can show it, still readable.
  package func degraded(to count: Int) -> Style {
    var style = self
    style.foreground = foreground.degraded(to: count)
    style.background = background.degraded(to: count)
    if style.foreground != .default, style.foreground == style.background {
      style.foreground = .default
      style.background = .default
      style.attributes.insert(.reverse)
    }
    return style
  }
}
