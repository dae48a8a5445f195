import Expressions
import OpenSwiftData

/// Defines a computed column: `NAME = EXPRESSION`, or an expression alone.
///
/// It begins with the definition of the column under the cursor, if that is computed. The name decides: the same one
/// changes this column, another one adds a column.
struct ComputePrompt: Screen {
  private var editor = LineEditor()
  private var earlier = HistoryPlace()
  private var cycle: WordCycle?
  /// The name of the column under the cursor, if it is computed.
  private let former: String?
  private static let label: DisplayText = "compute: "

  init(_ host: ScreenHost) {
    let column = host.table.currentColumn?.look
    former = column?.expression == nil ? nil : column?.name
    if let column, let expression = column.expression {
      editor = LineEditor(ColumnDefinition.text(column.name, expression))
    }
  }

  var place: KeyPlace { PromptAction.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .complete, .earlier] as [PromptAction]
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    if case .accept? = action as? PromptAction { "show the column" } else { nil }
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return .close }
    guard case .key(let key) = event, let action: PromptAction = host.keys.action(for: key) else {
      cycle = nil
      _ = editor.handleInOneLine(event)
      return .stay
    }
    if action != .complete { cycle = nil }
    switch action {
    case .accept: return accept(&host)
    case .leave: return .close
    case .complete: complete(host)
    case .earlier: earlier.recall(-1, host.past.lines[.column], &editor)
    case .later: earlier.recall(1, host.past.lines[.column], &editor)
    }
    return .stay
  }

  private mutating func complete(_ host: ScreenHost) {
    if cycle == nil {
      let completion = ExpressionCompletion(before: String(editor.text.prefix(editor.cursor)), host)
      cycle = WordCycle(completion.words, replacing: completion.range)
    }
    cycle?.advance(&editor)
  }

  private func accept(_ host: inout ScreenHost) -> Transition {
    let definition = ColumnDefinition(editor.text)
    guard !editor.text.allSatisfy(\.isWhitespace) else { return .close }
    switch read(host) {
    case .failure(let problem):
      host.warn(sentence(problem))
      return .stay
    case .success: break
    }
    let name = definition.name ?? former ?? definition.expression
    host.keep(editor.text, in: .column)
    // Without an expression, the column that is named is removed.
    host.perform(ComputeColumn(name: name, expression: definition.expression))
    return .close
  }

  /// The type of the values, or what is wrong with the text; no type for an empty expression.
  private func read(_ host: ScreenHost) -> Result<AttributeType?, FilterInput.Problem> {
    guard let entity = host.table.entity else { return .success(nil) }
    let definition = ColumnDefinition(editor.text)
    if let name = definition.name, entity.fieldsByName[name] != nil {
      let message = "\(name) is a field; choose another name for the column"
      return .failure(.init(column: 1, message: message, length: name.count))
    }
    guard !definition.expression.isEmpty else { return .success(nil) }
    let name = definition.name ?? former ?? definition.expression
    let others = host.table.arrangement.expressions
    do throws(SyntaxProblem) {
      let expression = try ColumnExpression(
        definition.expression,
        named: name,
        of: entity,
        in: host.schema,
        among: others
      )
      return .success(expression.type)
    } catch {
      let before = editor.text.utf8.prefix(definition.start + error.offset)
      let column = String(decoding: before, as: UTF8.self).count + 1
      return .failure(.init(column: column, message: error.message))
    }
  }

  private func sentence(_ problem: FilterInput.Problem) -> String {
    "compute, column \(problem.column): \(problem.message)"
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let read = read(host)
    let note =
      switch read {
      case .success(let type): type?.description ?? ""
      case .failure: "incomplete"
      }
    PromptLine.draw(
      on: &canvas,
      host.layout,
      label: Self.label,
      editor: editor,
      note: DisplayText(note)
    )
    if let cycle, cycle.words.count > 1 {
      cycle.draw(on: &canvas, y: host.layout.hintLine)
    } else if case .failure(let problem) = read {
      PromptLine.point(
        at: problem,
        sentence: sentence(problem),
        in: editor,
        label: Self.label,
        on: &canvas,
        host.layout
      )
    } else if editor.text.isEmpty {
      StatusBar.drawHint(
        "NAME = EXPRESSION, such as profit = gross - cost; Tab completes fields and functions",
        isProblem: false,
        on: &canvas,
        host.layout
      )
    }
  }
}

/// The fields and functions whose names begin with the last word of an expression.
struct ExpressionCompletion {
  /// The characters to replace.
  let range: Range<Int>
  let words: [String]

  init(before text: String, _ host: ScreenHost) {
    var typed = text.suffix(from: text.startIndex)
    let backticks = text.indices.filter { text[$0] == "`" }
    if !backticks.count.isMultiple(of: 2), let last = backticks.last {
      typed = text[last...]
    } else {
      let end = text.lastIndex { !($0.isLetter || $0.isNumber || "_.".contains($0)) }
      typed = end.map { text[text.index(after: $0)...] } ?? text[...]
    }
    range = (text.count - typed.count)..<text.count
    let beginning = typed.drop { $0 == "`" }.lowercased()
    let entity = host.table.entity
    let linked = (entity?.fields ?? []).flatMap { field -> [String] in
      guard beginning.contains("."), case .link(let name) = field.type else { return [] }
      return host.schema.entitiesByName[name]?.fields.map { "\(field.name).\($0.name)" } ?? []
    }
    let names = (entity?.fields ?? []).map(\.name) + host.columnPaths.map(\.name) + linked
    let functions = ExpressionFunction.allCases.map { "\($0.rawValue)(" }
    let spelled = names.filter { $0.lowercased().hasPrefix(beginning) }.map(FilterParser.spelled)
    let called = functions.filter { typed.first != "`" && $0.hasPrefix(beginning) }.sorted()
    words = (spelled + called).filter { $0 != typed }
  }
}
