import CNcurses
import CatalogApp

/// The ncurses attributes and the color pair for each role.
struct Palette {
  private let attributes: [attr_t]
  private let pairs: [Int32]

  /// Defines the color pairs of a theme in ncurses.
  ///
  /// Without color, or on a terminal that has none, the theme without colors is used.
  init(theme: Theme, useColor: Bool) {
    let colors = useColor && has_colors() ? Int(catalog_colors()) : 0
    let theme = colors < 8 ? Theme.none : theme
    var known: [[Color]: Int32] = [:]
    var attributes: [attr_t] = []
    var pairs: [Int32] = []
    for role in Role.allCases {
      let style = theme.style(of: role, colors: colors)
      attributes.append(catalog_attributes(UInt32(style.attributes.rawValue)))
      pairs.append(Self.pair(of: style, colors: colors, known: &known))
    }
    self.attributes = attributes
    self.pairs = pairs
  }

  /// Returns the attributes and the pair of a role.
  func look(of role: Role) -> (attributes: attr_t, pair: Int32) {
    let index = Int(role.rawValue)
    return (attributes[index], pairs[index])
  }

  private static func pair(
    of style: Style,
    colors: Int,
    known: inout [[Color]: Int32]
  ) -> Int32 {
    let wanted = [style.foreground, style.background]
    if wanted == [.default, .default] { return 0 }
    if let pair = known[wanted] { return pair }
    let pair = Int32(known.count + 1)
    let foreground = number(of: style.foreground, colors: colors)
    let background = number(of: style.background, colors: colors)
    guard init_extended_pair(pair, foreground, background) == OK else { return 0 }
    known[wanted] = pair
    return pair
  }

  private static func number(of color: Color, colors: Int) -> Int32 {
    switch color {
    case .default: return -1
    case .indexed(let index) where colors <= 256 || index < 8: return Int32(index)
    case .indexed, .rgb:
      guard let parts = color.components else { return -1 }
      return Int32(parts.red << 16 | parts.green << 8 | parts.blue)
    }
  }
}
