import OpenSwiftData

/// What a typed field name means: `year` means `releaseYear`, and `imdbrating` means `IMDB Rating`.
enum TypedName: Hashable, Sendable {
  case field(String)
  /// It could be one of several names.
  case ambiguous([String])
  case unknown

  /// Compares a typed name with the names of fields.
  init(_ typed: String, of entity: Schema.Entity) {
    self.init(typed, among: entity.fields.map(\.name))
  }

  /// Compares a typed name with some names, from strict to forgiving.
  ///
  /// The rules: as it is; in any case; without spaces and punctuation; as its end from the beginning of a word on; as
  /// a beginning; as the beginning of a word inside the name; anywhere inside it; as such a beginning in each step of
  /// a path. The first of these rules that fits any name decides. A link wins over the fields of the records that it
  /// refers to.
  init(_ typed: String, among names: [String]) {
    if names.contains(typed) {
      self = .field(typed)
      return
    }
    let lower = typed.lowercased()
    let plain = Self.plain(lower)
    guard !plain.isEmpty, plain.contains(where: { !$0.isNumber }) else {
      self = .unknown
      return
    }
    let rules: [(String) -> Bool] = [
      { $0.lowercased() == lower },
      { Self.plain($0.lowercased()) == plain },
      { Self.endings($0).contains(plain) },
      { Self.plain($0.lowercased()).hasPrefix(plain) },
      { Self.endings($0).contains { $0.hasPrefix(plain) } },
      { plain.count > 2 && Self.plain($0.lowercased()).contains(plain) },
      { Self.hasSteps(of: $0, typed: plain) },
    ]
    for rule in rules {
      let found = Self.owners(among: names.filter(rule))
      if found.isEmpty { continue }
      self = found.count == 1 ? .field(found[0]) : .ambiguous(found)
      return
    }
    self = .unknown
  }

  /// The names without those that lead further from one of the others.
  private static func owners(among names: [String]) -> [String] {
    names.filter { name in
      !names.contains { name.hasPrefix($0 + ".") || name.hasPrefix($0 + "[") }
    }
  }

  /// True if typed words begin words of a name that follow each other: `imdb rat` and `IMDB Rating`.
  static func areWords(_ typed: [String], of name: String) -> Bool {
    let endings = endings(name)
    let words = typed.map { plain($0.lowercased()) }
    guard !words.contains(""), words.count <= endings.count else { return false }
    return (0...endings.count - words.count).contains { start in
      zip(endings[start...], words).allSatisfy { $0.hasPrefix($1) }
    }
  }

  /// True if each step of a typed path begins a word in the same step of a name: `album.tit` and `AlbumId.Title`.
  private static func hasSteps(of name: String, typed: String) -> Bool {
    let steps = typed.split(separator: ".", omittingEmptySubsequences: false)
    let named = name.split(separator: ".", omittingEmptySubsequences: false)
    guard steps.count > 1, steps.count == named.count else { return false }
    return zip(named, steps).allSatisfy { named, step in
      !step.isEmpty && endings(String(named)).contains { $0.hasPrefix(step) }
    }
  }

  /// The letters and digits of a name, and the periods and brackets of a path.
  private static func plain(_ text: String) -> String {
    text.filter { $0.isLetter || $0.isNumber || ".[]".contains($0) }
  }

  /// For each word inside a name, the rest of the name that begins there.
  private static func endings(_ name: String) -> [String] {
    var endings: [String] = []
    var before: Character = " "
    for place in name.indices {
      let character = name[place]
      let isWord = character.isLetter || character.isNumber
      let begins =
        !(before.isLetter || before.isNumber) || (character.isUppercase && before.isLowercase)
      if isWord, begins { endings.append(plain(name[place...].lowercased())) }
      before = character
    }
    return endings
  }
}
