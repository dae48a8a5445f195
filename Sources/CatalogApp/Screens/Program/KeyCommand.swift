/// An action of any place, as help and the key map list it.
package struct KeyCommand: Hashable, Sendable {
  /// The place.
  package let place: KeyPlace
  /// The name in the configuration and the palette; unique at its place.
  package let name: String
  /// The default keys, starting with the one to show.
  package let keys: [Key]
  /// The word next to the key in the hint line.
  package let hint: String
  /// One sentence without a period, in the imperative.
  package let summary: String
  /// The heading under which help lists it.
  package let group: String

  init(_ action: some KeyAction) {
    let binding = action.binding
    place = type(of: action).place
    name = action.rawValue
    keys = binding.keys
    hint = binding.hint ?? action.rawValue
    summary = binding.summary
    group = binding.group ?? place.group
  }

  /// The actions of each place, in the order of the help.
  private static let places: [any KeyAction.Type] = [
    TableAction.self, DetailsAction.self, FormAction.self, CalendarAction.self,
    CellAction.self, PromptAction.self, ListAction.self, CountsAction.self, ColumnsAction.self,
    PreviewAction.self, ConflictAction.self, CompareAction.self, TextAction.self,
    ChangesAction.self, ChoiceAction.self,
  ]

  /// The places with key bindings of their own, in the order of the help.
  package static var allPlaces: [KeyPlace] { places.map { $0.place } }

  /// Every action of every place in the order of the help.
  package static let all: [KeyCommand] = places.flatMap { commands(of: $0) }

  private static func commands<Action: KeyAction>(of type: Action.Type) -> [KeyCommand] {
    type.allCases.map { KeyCommand($0) }
  }

  /// The actions of the table whose keys work at another place, too.
  package static func shared(with place: KeyPlace) -> [KeyCommand] {
    place == DetailsAction.place ? DetailsScreen.tableActions.map { KeyCommand($0) } : []
  }

  private static let byPlace = Dictionary(grouping: all, by: \.place)

  /// The actions of a place in order.
  package static func all(at place: KeyPlace) -> [KeyCommand] { byPlace[place] ?? [] }
}
