/// Which key means which command, at each place of the screen.
///
/// Made from the list of commands; a configuration changes the keys of some. Help and hints show the
/// keys as they are here.
package struct KeyMap: Sendable {
  private var names: [ScreenCommand.Place: [Key: String]] = [:]
  private var keys: [ScreenCommand.Place: [String: [Key]]] = [:]

  /// The keys as the commands come with them.
  package static let standard = KeyMap()

  /// Creates the standard keys.
  package init() {
    for command in ScreenCommand.all { set(command.keys, for: command.name, at: command.place) }
  }

  /// Gives a command other keys; keys of other commands are taken from these.
  ///
  /// - Throws: `CommandError` when there is no such command, naming the nearest.
  package mutating func bind(
    _ name: String,
    at place: ScreenCommand.Place = .table,
    to newKeys: [Key]
  ) throws {
    guard ScreenCommand.named(name, at: place) != nil else {
      throw CommandError(ScreenCommand.unknown(name, at: place))
    }
    for key in keys[place]?[name] ?? [] { names[place]?[key] = nil }
    for key in newKeys {
      if let other = names[place]?[key] { keys[place]?[other]?.removeAll { $0 == key } }
    }
    set(newKeys, for: name, at: place)
  }

  /// Gives a command of the table one more key, which no other command keeps.
  ///
  /// - Throws: `CommandError` when there is no such command, naming the nearest.
  package mutating func add(_ key: Key, to name: String) throws {
    try bind(name, to: [key] + keys(for: name, at: .table).filter { $0 != key })
  }

  /// Makes a key of the table do nothing.
  package mutating func remove(_ key: Key) {
    guard let name = names[.table]?.removeValue(forKey: key) else { return }
    keys[.table]?[name]?.removeAll { $0 == key }
  }

  /// The standard keys with the changes of a configuration, in its order.
  ///
  /// - Throws: `CommandError` that names the key and the command.
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

  /// The keys of a command, the one to show first.
  package func keys(for name: String, at place: ScreenCommand.Place) -> [Key] {
    keys[place]?[name] ?? []
  }

  /// The command of a key; nil when it has none.
  package func command(for key: Key, at place: ScreenCommand.Place) -> ScreenCommand? {
    names[place]?[key].flatMap { ScreenCommand.named($0, at: place) }
  }

  private mutating func set(_ newKeys: [Key], for name: String, at place: ScreenCommand.Place) {
    keys[place, default: [:]][name] = newKeys
    for key in newKeys { names[place, default: [:]][key] = name }
  }
}
