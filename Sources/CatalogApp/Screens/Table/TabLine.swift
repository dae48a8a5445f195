import OpenSwiftData

/// The line above the table with the entities of a store that has several.
enum TabLine {
  /// An entity, with its place in the line.
  private struct Tab {
    let entity: Schema.Entity
    let text: DisplayText
    let x: Int
  }

  static func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    guard let y = host.layout.tabLine else { return }
    let tabs = tabs(host)
    for tab in tabs {
      let isShown = tab.entity.name == host.table.entity?.name
      canvas.write(tab.text, at: Point(x: tab.x, y: y), role: isShown ? .tabSelected : .tab)
    }
    guard tabs.count < host.status.entities.count else { return }
    let hint = DisplayText("\(host.name(of: .entities)) all \(host.status.entities.count) ")
    canvas.write(hint, at: Point(x: canvas.size.columns - hint.width, y: y), role: .tab)
  }

  /// The entity whose name is at a point; nil for another place.
  static func entity(at point: Point, _ host: ScreenHost) -> Schema.Entity? {
    guard point.y == host.layout.tabLine else { return nil }
    return tabs(host).first { ($0.x..<$0.x + $0.text.width).contains(point.x) }?.entity
  }

  /// The tabs that fit, the first of them as far to the left as the one that is shown allows.
  private static func tabs(_ host: ScreenHost) -> [Tab] {
    let entities = host.status.entities
    let texts = entities.map { DisplayText($0.name).shortened(to: widestName) }
    let width = texts.reduce(1) { $0 + $1.width + gap }
    let room = host.size.columns - (width > host.size.columns ? widestHint : 0)
    let shown = entities.firstIndex { $0.name == host.table.entity?.name } ?? 0
    var first = shown
    var used = 1 + texts[shown].width
    while first > 0, used + texts[first - 1].width + gap <= room {
      first -= 1
      used += texts[first].width + gap
    }
    var tabs: [Tab] = []
    var x = 1
    for (entity, text) in zip(entities, texts).dropFirst(first) {
      guard x + text.width <= room else { break }
      tabs.append(Tab(entity: entity, text: text, x: x))
      x += text.width + gap
    }
    return tabs
  }

  private static let gap = 3
  private static let widestName = 24
  private static let widestHint = 12
}
