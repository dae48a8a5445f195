import OpenSwiftData

/// The entities of the store with their numbers of records; Enter shows one of them.
struct EntitiesScreen: ListScreen {
  var frame = ListFrame<EntityCount>()

  init(_ host: inout ScreenHost) { host.ask(CountEntities()) }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .failed = message, frame.lines.isEmpty { return .close }
    if case .refreshed = message { host.ask(CountEntities()) }
    guard let (_, counts) = message.answer(to: CountEntities.self) else { return .stay }
    let shown = host.table.entity?.name
    frame.setLines(
      counts,
      text: \.name,
      values: values,
      selecting: frame.lines.isEmpty ? shown : nil
    )
    return .stay
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    action as? ListAction == .accept ? "show" : nil
  }

  mutating func accept(_ line: EntityCount, _ host: inout ScreenHost) -> Transition {
    host.perform(ShowEntity(name: line.name))
    return .close
  }

  var valueNames: [String] { ["entity", "records"] }

  func values(of line: EntityCount) -> [Value] {
    [.text(line.name), line.count.map { .integer(Int64($0)) } ?? .null]
  }

  func look(_ host: ScreenHost) -> ListLook {
    let names = frame.lines.map { DisplayText($0.name).width }.max() ?? 0
    let counts = frame.lines.map { Self.text($0).count }.max() ?? 0
    return ListLook(
      sheet: host.layout.sheet(lines: max(3, frame.lines.count)),
      title: frame.lines.isEmpty ? "counting …" : "entities · \(frame.position)",
      [.init(width: names + 1), .init(width: counts, alignment: .right), .init()]
    )
  }

  func cells(of line: EntityCount, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [
      ListCell(line.name), ListCell(Self.text(line), line.count == nil ? .dim : nil),
      ListCell(host.table.entity?.name == line.name ? " shown" : "", .dim),
    ]
  }

  private static func text(_ line: EntityCount) -> String {
    line.count.map(String.init) ?? "not counted"
  }
}

/// The number of records of an entity; nil if they are damaged, or the rows of a query, which may take any time.
struct EntityCount: Hashable, Sendable, Identifiable {
  let name: String
  let count: Int?
  var id: String { name }
}

/// Counts the records of all entities.
struct CountEntities: Question {
  var work: String { "counting records" }

  /// - Complexity: O(n) in the records of databases, else O(entities).
  func answer(by reader: ListReader) throws -> [EntityCount]? {
    let context = reader.session.context
    return try context.schema.entities.map {
      EntityCount(name: $0.name, count: try context.countAmongOthers($0))
    }
  }
}
