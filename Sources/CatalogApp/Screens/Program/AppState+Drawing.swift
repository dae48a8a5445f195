extension AppState {
  /// Draws all visible layers.
  ///
  /// - Complexity: O(cells).
  package func draw() -> Canvas {
    let host = shared
    var canvas = Canvas(size: host.size)
    guard !isTooSmall else {
      drawNotice(on: &canvas)
      return drawTour(below: canvas)
    }
    let layers = layers
    StatusBar.draw(on: &canvas, host, for: screens.last ?? tableScreen)
    let first = layers.lastIndex { $0.isOpaque } ?? 0
    for layer in layers[first...] {
      canvas.blurCursor()
      layer.draw(on: &canvas, host)
    }
    return drawTour(below: canvas)
  }

  /// All layers, the lowest first.
  private var layers: [any Layer] { [tableScreen] + screens }

  private func drawNotice(on canvas: inout Canvas) {
    let smallest = ScreenLayout.smallest
    let lines: [DisplayText] = [
      "terminal too small", "\(size.columns)×\(size.rows)",
      "needs at least \(smallest.columns)×\(smallest.rows)",
    ]
    for (y, line) in lines.enumerated() {
      canvas.write(line, at: Point(x: 0, y: y), width: size.columns, role: .warning)
    }
  }
}
