import Foundation

/// A color, within the abilities of terminals.
package enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case `default`
  /// One of the 256 colors of xterm; users configure the first 16 in their terminal.
  case indexed(UInt8)
  /// Red, green and blue.
  case rgb(UInt8, UInt8, UInt8)

  /// Returns the nearest color of a terminal with `count` colors.
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

  /// Returns the contrast ratio of WCAG 2, from 1 to 21; 1 when either is the default.
  package func contrast(to other: Color) -> Double {
    guard let own = luminance, let its = other.luminance else { return 1 }
    return (max(own, its) + 0.05) / (min(own, its) + 0.05)
  }

  private var luminance: Double? {
    guard let parts = components else { return nil }
    func linear(_ part: Int) -> Double {
      let value = Double(part) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(parts.red) + 0.7152 * linear(parts.green) + 0.0722 * linear(parts.blue)
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

/// The attributes of a cell in addition to its colors.
package struct Attributes: OptionSet, Hashable, Sendable {
  /// One bit for each attribute.
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Heavier strokes.
  package static let bold = Attributes(rawValue: 1)
  /// Fainter than the rest.
  package static let dim = Attributes(rawValue: 2)
  /// Italic, if the terminal supports it.
  package static let italic = Attributes(rawValue: 4)
  /// A line under the text.
  package static let underline = Attributes(rawValue: 8)
  /// Foreground and background exchanged.
  package static let reverse = Attributes(rawValue: 16)
}

/// How a role looks.
package struct Style: Hashable, Sendable {
  /// The color of the text.
  package var foreground: Color
  /// The background color.
  package var background: Color
  /// The attributes of the text.
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

  /// The minimum contrast of text.
  package static let leastContrast = 4.5

  /// Returns the style with the nearest colors of a terminal with `count` colors.
  package func degraded(to count: Int) -> Style {
    var style = self
    style.foreground = foreground.degraded(to: count)
    style.background = background.degraded(to: count)
    guard background == .default || style.background != .default else { return style.reversed }
    return style
  }

  /// Returns the style of text over a band: the colors that it does not set are those of the band.
  package func over(_ band: Style) -> Style {
    Style(
      foreground: foreground == .default ? band.foreground : foreground,
      background: background == .default ? band.background : background,
      attributes: attributes.union(band.attributes)
    )
  }

  /// Returns the style with a text that is readable on its background, if that is set.
  package func readable(of count: Int, leastContrast: Double = Style.leastContrast) -> Style {
    var style = self
    guard background != .default, foreground != .default else { return style }
    if style.foreground.contrast(to: style.background) < leastContrast {
      style.foreground = style.background.mostContrasting(of: count)
    }
    if let bright = style.foreground.brightened,
      bright.contrast(to: style.background) < leastContrast
    {
      // Where bold brightens the first eight colors, it reduces the contrast.
      style.attributes.remove(.bold)
    }
    return style
  }

  /// The style with reversed video instead of colors.
  private var reversed: Style { Style(attributes: attributes.union(.reverse)) }
}

extension Color {
  /// The black or white of a terminal with `count` colors, whichever is more readable on this one.
  fileprivate func mostContrasting(of count: Int) -> Color {
    let black = Color.indexed(count < 256 ? 0 : 16)
    let white = Color.indexed(count < 16 ? 7 : count < 256 ? 15 : 231)
    return contrast(to: black) >= contrast(to: white) ? black : white
  }

  /// The color that some terminals draw instead of one of the first eight in bold text.
  fileprivate var brightened: Color? {
    guard case .indexed(let index) = self, index < 8 else { return nil }
    return .indexed(index + 8)
  }
}
