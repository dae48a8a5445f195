import CNcurses
import CatalogApp

/// The ncurses attributes and the color pair for each role, which are defined when a cell first needs them.
struct Palette {
  /// The attributes and the number of a color pair.
  typealias Look = (attributes: attr_t, pair: Int32)

  private let theme: Theme
  private let colors: Int
  /// By role and band, what is known.
  private var looks: [Look?]
  private var pairs: [[Color]: Int32] = [:]

  /// Prepares the colors of a theme; without color, or on a terminal that has none, the theme without colors is used.
  init(theme: Theme, useColor: Bool) {
    colors = useColor && has_colors() ? Int(catalog_colors()) : 0
    self.theme = colors < 8 ? Theme.none : theme
    looks = Array(repeating: nil, count: Role.allCases.count * Role.allCases.count)
  }

  /// Returns the attributes and the pair of a role over a band.
  mutating func look(of role: Role, over band: Role) -> Look {
    let index = Int(role.rawValue) * Role.allCases.count + Int(band.rawValue)
    if let look = looks[index] { return look }
    let style = theme.style(of: role, over: band, colors: colors)
    let look = (catalog_attributes(UInt32(style.attributes.rawValue)), pair(of: style))
    looks[index] = look
    return look
  }

  private mutating func pair(of style: Style) -> Int32 {
    let wanted = [style.foreground, style.background]
    if wanted == [.default, .default] { return 0 }
    if let pair = pairs[wanted] { return pair }
    let pair = Int32(pairs.count + 1)
    let foreground = number(of: style.foreground)
    let background = number(of: style.background)
    guard init_extended_pair(pair, foreground, background) == OK else { return 0 }
    pairs[wanted] = pair
    return pair
  }

  private func number(of color: Color) -> Int32 {
    switch color {
    case .default: return -1
    case .indexed(let index) where colors <= 256 || index < 8: return Int32(index)
    case .indexed, .rgb:
      guard let parts = color.components else { return -1 }
      return Int32(parts.red << 16 | parts.green << 8 | parts.blue)
    }
  }
}
