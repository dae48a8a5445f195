/// The bar on the right edge of a list that is longer than its room.
enum ScrollBar {
  /// Draws the bar in a column of cells; nothing if all lines are visible.
  static func draw(
    on canvas: inout Canvas,
    x: Int,
    rows: Range<Int>,
    first: Int,
    count: Int,
    role: Role
  ) {
    let room = rows.count
    guard count > room, room > 0 else { return }
    let length = max(1, room * room / count)
    let last = max(1, count - room)
    let start = (room - length) * min(first, last) / last
    for line in 0..<room {
      let isThumb = line >= start && line < start + length
      canvas.write(isThumb ? "█" : "│", at: Point(x: x, y: rows.lowerBound + line), role: role)
    }
  }
}
