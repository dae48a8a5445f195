import OpenSwiftData

/// The key bindings of each place of the screen.
///
/// Built from the lists of actions; a configuration changes some of the keys. Help and hints show the
/// current keys.
package struct KeyMap: Sendable {
  private var names: [KeyPlace: [Key: String]] = [:]
  private var keys: [KeyPlace: [String: [Key]]] = [:]

  /// The default key bindings.
  package static let standard = KeyMap()

  /// Creates the standard keys.
  package init() {
    for command in KeyCommand.all { set(command.keys, for: command.name, at: command.place) }
  }

  /// Replaces the keys of a table action; the keys are removed from other actions.
  ///
  /// - Throws: `CommandError` for an unknown action, with the most similar name.
  package mutating func bind(_ name: String, to newKeys: [Key]) throws {
    let place = TableAction.place
    guard TableAction(rawValue: name) != nil else {
      throw CommandError(
        "unknown key command \(Value.quoted(name)); "
          + Suggestion.text(for: name, among: TableAction.allCases.map(\.rawValue))
      )
    }
    for key in keys[place]?[name] ?? [] { names[place]?[key] = nil }
    for key in newKeys {
      if let other = names[place]?[key] { keys[place]?[other]?.removeAll { $0 == key } }
    }
    set(newKeys, for: name, at: place)
  }

  /// Adds a key to a table action, and removes it from other actions.
  ///
  /// - Throws: `CommandError` for an unknown action, with the most similar name.
  package mutating func add(_ key: Key, to name: String) throws {
    let present = keys[TableAction.place]?[name] ?? []
    try bind(name, to: [key] + present.filter { $0 != key })
  }

  /// Removes the binding of a key of the table.
  package mutating func remove(_ key: Key) {
    guard let name = names[TableAction.place]?.removeValue(forKey: key) else { return }
    keys[TableAction.place]?[name]?.removeAll { $0 == key }
  }

  /// The default keys with the changes of a configuration, in its order.
  ///
  /// - Throws: `CommandError` that names the key and the action.
  package init(_ configuration: Configuration) throws {
    self = .standard
    for key in configuration.unbound { remove(key) }
    for binding in configuration.bindings {
      do {
        try add(binding.key, to: binding.command)
      } catch {
        throw CommandError("bind \(binding.key): \(error)")
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

  private mutating func set(_ newKeys: [Key], for name: String, at place: KeyPlace) {
    keys[place, default: [:]][name] = newKeys
    for key in newKeys { names[place, default: [:]][key] = name }
  }
}
