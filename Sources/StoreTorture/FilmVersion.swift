import Observation
package import OpenSwiftData

/// A schema version of the workloads, to which stores can be migrated.
package enum FilmVersion: Int, CaseIterable, Comparable, Sendable {
  /// The schema of all workloads, `TorturedStore.schema`.
  case first = 1
  /// One field is renamed, one changes its type, one is new and filled by code, as is an entity;
  /// films of 1901 are deleted.
  case second
  /// One field is renamed, one is new; the new entity is dropped with its records.
  case third

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The schema to open a store with so that it gets this version.
  package var schema: Schema { Self.schemas[rawValue - 1] }

  /// Created once, because thousands of stores are opened with them.
  private static let schemas = FilmPlan.schemas.map { Schema(versionedSchema: $0) }
}

/// The versions and the migrations between them: one by code, one by rule.
enum FilmPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FilmsV1.self, FilmsV2.self, FilmsV3.self] }

  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: FilmsV1.self, toVersion: FilmsV2.self, migrate: tag),
      .lightweight(fromVersion: FilmsV2.self, toVersion: FilmsV3.self),
    ]
  }

  /// Deletes some films, changes the others, and inserts a tag for each of these.
  private static func tag(_ old: MigrationRecords, _ context: ModelContext) throws {
    let entity = try FilmVersion.second.schema.entity(named: "Tag")
    for film in try context.records(for: context.fetchIdentifiers(matching: Query("Film"))) {
      guard let former = old[film.persistentModelID] else { continue }
      guard former["year"] != .integer(1901) else {
        context.delete(film)
        continue
      }
      if case .text(let note)? = former["note"] {
        try film.set(.integer(Int64(note.utf8.count)), for: "length")
      }
      let tag = Record(entity: entity)
      try tag.set(film[attribute: "title"], for: "name")
      context.insert(tag)
    }
  }
}

// Models written by hand, in the form that `@Model` generates: the instrument does not need the
// macros.

private enum FilmsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Film.self] }

  final class Film: PersistentModel {
    var persistentState: ModelState

    init(persistentState: ModelState) {
      self.persistentState = persistentState
      persistentState.attach(self)
    }

    var title: String { persistentState.get(0) }
    var year: Int? { persistentState.get(1) }
    var note: String? { persistentState.get(2) }

    static var schemaMetadata: [Schema.PropertyMetadata] {
      [
        .init(name: "title", keypath: \Film.title),
        .init(name: "year", keypath: \Film.year),
        .init(name: "note", keypath: \Film.note),
      ]
    }
  }
}

private enum FilmsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Film.self, Tag.self] }

  final class Film: PersistentModel {
    var persistentState: ModelState

    init(persistentState: ModelState) {
      self.persistentState = persistentState
      persistentState.attach(self)
    }

    var title: String { persistentState.get(0) }
    var year: String? { persistentState.get(1) }
    var remark: String? { persistentState.get(2) }
    var length: Int { persistentState.get(3) }

    static var schemaMetadata: [Schema.PropertyMetadata] {
      [
        .init(name: "title", keypath: \Film.title),
        .init(name: "year", keypath: \Film.year),
        .init(
          name: "remark",
          keypath: \Film.remark,
          metadata: Schema.Attribute(originalName: "note")
        ),
        .init(name: "length", keypath: \Film.length, defaultValue: 0),
      ]
    }
  }

  final class Tag: PersistentModel {
    var persistentState: ModelState

    init(persistentState: ModelState) {
      self.persistentState = persistentState
      persistentState.attach(self)
    }

    var name: String { persistentState.get(0) }

    static var schemaMetadata: [Schema.PropertyMetadata] {
      [.init(name: "name", keypath: \Tag.name)]
    }
  }
}

private enum FilmsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Film.self] }

  final class Film: PersistentModel {
    var persistentState: ModelState

    init(persistentState: ModelState) {
      self.persistentState = persistentState
      persistentState.attach(self)
    }

    var title: String { persistentState.get(0) }
    var year: String? { persistentState.get(1) }
    var memo: String? { persistentState.get(2) }
    var length: Int { persistentState.get(3) }
    var isSeen: Bool { persistentState.get(4) }

    static var schemaMetadata: [Schema.PropertyMetadata] {
      [
        .init(name: "title", keypath: \Film.title),
        .init(name: "year", keypath: \Film.year),
        .init(
          name: "memo",
          keypath: \Film.memo,
          metadata: Schema.Attribute(originalName: "remark")
        ),
        .init(name: "length", keypath: \Film.length, defaultValue: 0),
        .init(name: "isSeen", keypath: \Film.isSeen, defaultValue: false),
      ]
    }
  }
}
