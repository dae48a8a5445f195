import OpenSwiftData

/// The key bindings of each place of the screen.
///
/// Built from the lists of actions; a configuration and the user change some of the keys. Help and
/// hints show the current keys.
///
/// Invariant: a key of the table that has command lines has no action.
package struct KeyMap: Sendable {
  private var names: [KeyPlace: [Key: String]] = [:]
  private var keys: [KeyPlace: [String: [Key]]] = [:]
  /// The command lines of keys of the table.
  package private(set) var lines = BoundLines()

  /// The default key bindings.
  package static let standard = KeyMap()

  /// Creates the standard keys.
  package init() {
    for command in KeyCommand.all { set(command.keys, for: command.name, at: command.place) }
  }

  /// Replaces the keys of a table action; the keys are removed from other actions.
  ///
  /// - Throws: `CommandError` for an unknown action, with the most similar name.
  package mutating func bind(_ name: String, to newKeys: [Key]) throws(CommandError) {
    let place = TableAction.place
    guard TableAction(rawValue: name) != nil else {
      throw CommandError(
        Suggestion.message("unknown key command", name, among: TableAction.allCases.map(\.rawValue))
      )
    }
    for key in keys[place]?[name] ?? [] { names[place]?[key] = nil }
    for key in newKeys {
      lines[key] = nil
      if let other = names[place]?[key] { keys[place]?[other]?.removeAll { $0 == key } }
    }
    set(newKeys, for: name, at: place)
  }

  /// Adds a key to a table action, and removes it from other actions.
  ///
  /// - Throws: `CommandError` for an unknown action, with the most similar name.
  package mutating func add(_ key: Key, to name: String) throws(CommandError) {
    let present = keys[TableAction.place]?[name] ?? []
    try bind(name, to: [key] + present.filter { $0 != key })
  }

  /// Gives a key of the table another use.
  ///
  /// - Throws: `CommandError` for a key that cannot have this use, and for an unknown action or command.
  package mutating func bind(_ key: Key, to use: KeyUse) throws(CommandError) {
    if let reason = reasonNotToBind(key, to: use) { throw CommandError(reason) }
    switch use {
    case .action(let name): try add(key, to: name)
    case .lines(let new, _):
      try Command.check(new, in: .screen)
      remove(key)
      lines[key] = new
    }
    assert(lines[key] == nil || names[TableAction.place]?[key] == nil, "Invariant")
  }

  /// Why a key cannot have a use in the table; nil if it can.
  private func reasonNotToBind(_ key: Key, to use: KeyUse) -> String? {
    if key == .control("c") { return "^C stops running work and cannot be bound" }
    if let digit = key.typed, ("1"..."9").contains(digit) {
      return "\(key) begins a number before a key and cannot be bound"
    }
    guard case .lines(_, replacesAction: false) = use,
      let name = names[TableAction.place]?[key]
    else { return nil }
    let spelled = CommandText.quoted(key.description)
    return "\(key) is the key of \(Value.quoted(name)); use another key, or "
      + "\"bind! \(spelled) = …\" to replace it"
  }

  /// Tells what a key of the table does.
  func words(for key: Key) -> String {
    if lines[key] != nil {
      var only = BoundLines()
      only[key] = lines[key]
      return only.texts.first ?? ""
    }
    return names[TableAction.place]?[key].map { "bind \(key) \(CommandText.quoted($0))" }
      ?? "\(key) is not bound"
  }

  /// Removes the binding of a key of the table.
  package mutating func remove(_ key: Key) {
    lines[key] = nil
    guard let name = names[TableAction.place]?.removeValue(forKey: key) else { return }
    keys[TableAction.place]?[name]?.removeAll { $0 == key }
  }

  /// The default keys with the changes of a configuration, in its order.
  ///
  /// - Throws: `PlacedError` with the place in the configuration.
  package init(_ configuration: Configuration) throws(PlacedError) {
    self = .standard
    for key in configuration.unbound { remove(key) }
    for binding in configuration.bindings {
      if let reason = reasonNotToBind(binding.key, to: binding.use) {
        throw PlacedError("bind: \(reason)", at: binding.keyPlace)
      }
      do {
        try bind(binding.key, to: binding.use)
      } catch {
        throw PlacedError("bind \(binding.key): \(error.message)", at: binding.usePlace)
      }
    }
  }

  /// The keys of an action, starting with the one to show.
  func keys(for action: some KeyAction) -> [Key] {
    keys[type(of: action).place]?[action.rawValue] ?? []
  }

  /// The keys of an action, starting with the one to show.
  package func keys(for command: KeyCommand) -> [Key] { keys[command.place]?[command.name] ?? [] }

  /// The action of a key in the place of the requested action type; nil if it has none.
  package func action<Action: KeyAction>(
    for key: Key,
    as type: Action.Type = Action.self
  ) -> Action? {
    names[type.place]?[key].flatMap(Action.init)
  }

  /// The events that an event stands for.
  ///
  /// Alt with a letter that has no use is Esc and then the letter, because fast typing and slow lines produce it.
  package func parts(of event: InputEvent) -> [InputEvent] {
    guard case .key(let key) = event, key.modifiers == .alt, case .character = key.code,
      !LineEditor.altLetters.contains(key), lines[key] == nil,
      !names.values.contains(where: { $0[key] != nil })
    else { return [event] }
    return [.key(.escape), .key(Key(key.code))]
  }

  private mutating func set(_ newKeys: [Key], for name: String, at place: KeyPlace) {
    keys[place, default: [:]][name] = newKeys
    for key in newKeys { names[place, default: [:]][key] = name }
  }
}
