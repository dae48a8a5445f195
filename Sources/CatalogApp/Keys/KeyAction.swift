/// The action of a key in one place of the screen.
///
/// Each place has an enumeration of its actions. A configuration binds keys to their names, and the
/// screen switches over all of them. Keys, help, hints and the key page are generated from
/// `KeyCommand.places`. To give a screen its own place, add an enumeration to the screen's file and one
/// line to that list.
package protocol KeyAction: CaseIterable, RawRepresentable, Hashable, Sendable
where RawValue == String, AllCases == [Self] {
  static var place: KeyPlace { get }
  /// The keys of the action, and how help describes it.
  var binding: KeyBinding { get }
}

/// A part of the screen with key bindings of its own.
package struct KeyPlace: Hashable, Sendable, CustomStringConvertible {
  /// Its name, in messages.
  package let name: String
  /// The heading under which help lists its keys.
  let group: String

  init(_ name: String, _ group: String) { (self.name, self.group) = (name, group) }

  package var description: String { name }
}

/// The keys of an action, and how help describes it.
package struct KeyBinding: Sendable {
  let keys: [Key]
  /// One sentence without a period, in the imperative.
  let summary: String
  /// The word next to the key in the hint line; nil for the name.
  var hint: String?
  /// True if a number can be typed before its key.
  var takesCount = false
  /// The heading under which help lists it; nil for that of the place.
  var group: String?

  init(
    _ keys: [Key],
    _ summary: String,
    hint: String? = nil,
    takesCount: Bool = false,
    group: String? = nil
  ) {
    (self.keys, self.summary, self.hint) = (keys, summary, hint)
    (self.takesCount, self.group) = (takesCount, group)
  }
}
