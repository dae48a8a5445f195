import OpenSwiftData

/// One thing that a key does on the screen.
///
/// Keys, help, hints and the palette are made from `ScreenCommand.all`. To add a command: one value of
/// this type in the list of its group.
package struct ScreenCommand: Sendable {
  /// A part of the screen with keys of its own.
  package enum Place: String, CaseIterable, Sendable {
    case table, form, cell, prompt, list, conflict, text, choice
  }

  /// The place.
  package let place: Place
  /// The name in the configuration and the palette; one for each place.
  package let name: String
  /// The keys it comes with, the one to show first.
  package let keys: [Key]
  /// The word beside the key in the hint line.
  package let hint: String
  /// One sentence without a full stop, in the imperative.
  package let summary: String
  /// The heading under which help lists it.
  package let group: String
  /// True when a number may be typed before its key.
  package let takesCount: Bool
  /// Why it cannot be done now; nil when it can.
  package let disabledReason: @Sendable (AppState) -> String?
  /// Does it; what a screen does with its own state, it does itself and by name.
  let perform: @Sendable (inout AppState, Int?) -> Transition

  init(
    _ name: String,
    at place: Place = .table,
    keys: [Key],
    hint: String? = nil,
    group: String,
    summary: String,
    takesCount: Bool = false,
    disabledReason: @escaping @Sendable (AppState) -> String? = { _ in nil },
    perform: @escaping @Sendable (inout AppState, Int?) -> Transition
  ) {
    self.place = place
    self.name = name
    self.keys = keys
    self.hint = hint ?? name
    self.group = group
    self.summary = summary
    self.takesCount = takesCount
    self.disabledReason = disabledReason
    self.perform = perform
  }

  /// Every command of every place in the order of the help.
  package static let all: [ScreenCommand] =
    moving + editing + finding + program + formKeys + cellKeys + promptKeys + listKeys
    + conflictKeys + textKeys + choiceKeys

  private static let byPlace = Dictionary(grouping: all, by: \.place)
  private static let byName = byPlace.mapValues { commands in
    Dictionary(commands.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The commands of a place in order.
  package static func all(at place: Place) -> [ScreenCommand] { byPlace[place] ?? [] }

  /// The command with a name; nil when the place has none.
  package static func named(_ name: String, at place: Place) -> ScreenCommand? {
    byName[place]?[name]
  }

  static func unknown(_ name: String, at place: Place) -> String {
    "unknown key command \(Value.quoted(name)) in \(place.rawValue); "
      + Suggestion.text(for: name, among: all(at: place).map(\.name))
  }
}
