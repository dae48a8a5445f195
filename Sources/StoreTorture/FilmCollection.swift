import OpenSwiftData

/// The content of a store of any version, without the identifiers that a migration gives to new
/// records.
///
/// It states the expected result of a migration independently of the code that migrates.
struct FilmCollection: Hashable, Sendable {
  private(set) var version: Schema.Version
  /// By identifier, then by the name of the field.
  private(set) var films: [PersistentIdentifier: [String: Value]] = [:]
  /// The records of all other entities as text, sorted.
  private(set) var others: [String] = []

  init(_ contents: StoreContents) {
    version = contents.schema?.version ?? FilmVersion.first.schema.version
    for (identifier, values) in contents.values {
      let names = contents.schema?.entitiesByName[identifier.entityName]?.layout.names ?? []
      let fields = Dictionary(zip(names, values), uniquingKeysWith: { $1 })
      if identifier.entityName == "Film" {
        films[identifier] = fields
      } else {
        let text = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
        others.append("\(identifier.entityName) \(text.joined(separator: " "))")
      }
    }
    others.sort()
  }

  /// The expected content in a version that is not older.
  func migrated(to version: FilmVersion) -> FilmCollection {
    var result = self
    if result.version < FilmVersion.second.schema.version, version >= .second { result.addTags() }
    if result.version < FilmVersion.third.schema.version, version >= .third { result.dropTags() }
    return result
  }

  private mutating func addTags() {
    version = FilmVersion.second.schema.version
    films = films.filter { $0.value["year"] != .integer(1901) }
    others = films.values.map { "Tag name=\($0["title"]?.text ?? "")" }.sorted()
    films = films.mapValues { film in
      var film = film
      let note = film.removeValue(forKey: "note") ?? .null
      film["remark"] = note
      film["length"] = .integer(Int64(note.text.utf8.count))
      if case .integer(let year)? = film["year"] { film["year"] = .text("\(year)") }
      return film
    }
  }

  private mutating func dropTags() {
    version = FilmVersion.third.schema.version
    others = []
    films = films.mapValues { film in
      var film = film
      film["memo"] = film.removeValue(forKey: "remark")
      film["isSeen"] = .boolean(false)
      return film
    }
  }
}
