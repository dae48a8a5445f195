import CNcurses
import CTerminal
import CatalogApp

/// Converts the cells of a canvas to cells of ncurses, so that columns always stay aligned.
///
/// If the C library, and so ncurses, gives a scalar another width than the layout did, a replacement
/// with the width of the layout is drawn.
struct CellEncoder {
  /// Whether the terminal takes UTF-8; otherwise only ASCII is drawn.
  let isUTF8: Bool

  /// Appends the cells of row `y`.
  func encode(row y: Int, of canvas: Canvas, palette: inout Palette, into out: inout [cchar_t]) {
    let start = y * canvas.size.columns
    for cell in canvas.cells[start..<(start + canvas.size.columns)] where !cell.isContinuation {
      let look = palette.look(of: cell.role, over: cell.band)
      var new = catalog_cell()
      new.attributes = look.attributes
      new.pair = look.pair
      if let scalar = canvas.scalar(of: cell), scalar.isASCII {
        new.scalars.0 = scalar.value
        append(new, to: &out)
      } else {
        encode(canvas.text(of: cell), width: Int(cell.width), as: new, into: &out)
      }
    }
  }

  private func encode(
    _ text: String,
    width: Int,
    as plain: catalog_cell,
    into out: inout [cchar_t]
  ) {
    guard isUTF8, let parts = parts(of: text, width: width) else {
      return replace(text, width: width, as: plain, into: &out)
    }
    for part in parts {
      var new = plain
      new.scalars.0 = part[0]
      if part.count > 1 { new.scalars.1 = part[1] }
      if part.count > 2 { new.scalars.2 = part[2] }
      if part.count > 3 { new.scalars.3 = part[3] }
      if part.count > 4 { new.scalars.4 = part[4] }
      append(new, to: &out)
    }
  }

  /// Returns the scalars that occupy cells, each with the marks that combine with it.
  private func parts(of text: String, width: Int) -> [[UInt32]]? {
    var parts: [[UInt32]] = []
    var total = 0
    for scalar in text.unicodeScalars {
      let cells = Int(cterm_width(scalar.value))
      if cells > 0 {
        parts.append([scalar.value])
        total += cells
      } else if cells == 0, let last = parts.indices.last {
        parts[last].append(scalar.value)
      }
    }
    return total == width ? parts : nil
  }

  private func replace(
    _ text: String,
    width: Int,
    as plain: catalog_cell,
    into out: inout [cchar_t]
  ) {
    var new = plain
    new.scalars.0 = isUTF8 ? 0xFFFD : Self.asciiLookalike(text)
    append(new, to: &out)
    new.scalars.0 = 0x20
    for _ in 1..<max(1, width) { append(new, to: &out) }
  }

  private func append(_ cell: catalog_cell, to out: inout [cchar_t]) {
    var encoded = cchar_t()
    withUnsafePointer(to: cell) { catalog_set_cell(&encoded, $0) }
    out.append(encoded)
  }

  private static func asciiLookalike(_ text: String) -> UInt32 {
    let lookalike: Unicode.Scalar =
      switch text {
      case "│", "┃", "║", "▏", "▌": "|"
      case "─", "━", "╸", "═", "–", "—": "-"
      case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼", "╭", "╮", "╰", "╯": "+"
      case "█", "▓", "▒", "░", "■": "#"
      case "▲", "↑": "^"
      case "▼", "↓": "v"
      case "→", "▶", "›", "»", "↵": ">"
      case "←", "◀", "‹", "«": "<"
      case "…": "~"
      case "·", "•", "●", "✓": "*"
      case "’", "‘": "'"
      case "“", "”": "\""
      default: "?"
      }
    return lookalike.value
  }
}
