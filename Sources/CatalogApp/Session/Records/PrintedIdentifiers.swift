import OpenSwiftData

/// The temporary identifiers that commands have printed, so that a script can continue to use them after a save has
/// replaced them.
struct PrintedIdentifiers {
  /// The identifiers that saves replaced.
  private var replaced: [IdentifierMap] = []
  /// The unsaved records whose temporary identifiers were printed, with the lines that created them.
  private var reported: [PersistentIdentifier: Int?] = [:]
  /// The unsaved records whose temporary identifiers are only in answers for programs.
  private var answered: Set<PersistentIdentifier> = []

  /// The temporary identifier with this text, if a save has replaced it.
  ///
  /// - Complexity: O(n) in the number of records that were saved as new ones.
  func replaced(_ text: String) -> PersistentIdentifier? {
    guard text.utf8.first == UInt8(ascii: "t"), let serial = UInt64(text.dropFirst()) else {
      return nil
    }
    for map in replaced.reversed() {
      let found = map.temporary.last { $0.words.low == serial && $0.description == text }
      if let found { return found }
    }
    return nil
  }

  /// The temporary identifiers that saves replaced, in the order of their numbers.
  var allReplaced: [PersistentIdentifier] { replaced.flatMap(\.temporary).sorted() }

  /// Records new records whose temporary identifiers a line prints.
  mutating func note(_ identifiers: [PersistentIdentifier], inLine line: Int?) {
    for identifier in identifiers { reported.updateValue(line, forKey: identifier) }
  }

  /// Records a new record whose temporary identifier is in the answer of a command.
  mutating func noteAnswered(_ identifier: PersistentIdentifier) { answered.insert(identifier) }

  /// Adds to a failure which line created the record that it names by a temporary identifier.
  func located(_ failure: SaveFailure) -> SaveFailure {
    // Quoted text is a value, not an identifier.
    let text = String(describing: failure.cause).replacing(/"(?:[^"\\]|\\.)*"/, with: "")
    guard let name = text.firstMatch(of: /\brecords? (?:\S+ and )?(t[0-9]+)\b/)?.1,
      let line = reported.first(where: { $0.key.description == name })?.value
    else { return failure }
    return SaveFailure(cause: failure.cause, hint: "\(name) was inserted in line \(line)")
  }

  /// Records the identifiers that a save replaced.
  ///
  /// - Returns: Those whose temporary identifiers were printed, and those that were printed or in an answer.
  mutating func replace(_ remapped: IdentifierMap) -> (
    printed: IdentifierMap, answered: IdentifierMap
  ) {
    if !remapped.isEmpty { replaced.append(remapped) }
    if reported.isEmpty, answered.isEmpty { return (IdentifierMap(), IdentifierMap()) }
    // A record that was deleted before the save keeps its temporary identifier: undo restores it.
    defer {
      for pair in remapped {
        reported[pair.temporary] = nil
        answered.remove(pair.temporary)
      }
    }
    let printed = remapped.filter { reported[$0.temporary] != nil }
    let known = remapped.filter {
      reported[$0.temporary] != nil || answered.contains($0.temporary)
    }
    return (Self.map(printed), Self.map(known))
  }

  /// The pairs in the order in which the records were made, which a database need not keep.
  private static func map(_ pairs: [IdentifierMap.Element]) -> IdentifierMap {
    let pairs = pairs.sorted { $0.temporary < $1.temporary }
    return IdentifierMap(temporary: pairs.map(\.temporary), permanent: pairs.map(\.permanent))
  }
}
