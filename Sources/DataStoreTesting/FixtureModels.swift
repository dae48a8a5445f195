import Foundation
import Observation
import OpenSwiftData

/// The films of the cases as a model class, for stores that use the requested class.
///
/// Handwritten in the form that the macro `@Model` generates.
final class Film: PersistentModel {
  struct Notes: Codable {}

  var persistentState: ModelState

  init(persistentState: ModelState) {
    self.persistentState = persistentState
    persistentState.attach(self)
  }

  var serial: Int? { persistentState.get(0) }
  var title: String { persistentState.get(1) }
  var year: Int? { persistentState.get(2) }
  var rating: Double? { persistentState.get(3) }
  var gross: Decimal? { persistentState.get(4) }
  var seen: Bool? { persistentState.get(5) }
  var released: CalendarDate? { persistentState.get(6) }
  var added: Date? { persistentState.get(7) }
  var code: UUID? { persistentState.get(8) }
  var notes: Notes? { persistentState.get(9) }
  var director: Person? { persistentState.get(10) }
  var cast: [Person]? { persistentState.get(11) }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "serial", keypath: \Film.serial),
      .init(name: "title", keypath: \Film.title),
      .init(name: "year", keypath: \Film.year, defaultValue: 2000),
      .init(name: "rating", keypath: \Film.rating),
      .init(name: "gross", keypath: \Film.gross),
      .init(name: "seen", keypath: \Film.seen),
      .init(name: "released", keypath: \Film.released),
      .init(name: "added", keypath: \Film.added),
      .init(
        name: "code",
        keypath: \Film.code,
        metadata: Schema.Attribute(.unique(.reject))
      ),
      .init(name: "notes", keypath: \Film.notes),
      .init(name: "director", keypath: \Film.director),
      .init(name: "cast", keypath: \Film.cast),
    ]
  }
}

/// The people of the cases as a model class.
final class Person: PersistentModel {
  var persistentState: ModelState

  init(persistentState: ModelState) {
    self.persistentState = persistentState
    persistentState.attach(self)
  }

  var name: String { persistentState.get(0) }
  var debut: Film? { persistentState.get(1) }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(
        name: "name",
        keypath: \Person.name,
        metadata: Schema.Attribute(.unique(.reject))
      ),
      .init(name: "debut", keypath: \Person.debut),
    ]
  }
}

/// A class with a constraint over two properties.
final class Showing: PersistentModel {
  var persistentState: ModelState

  init(persistentState: ModelState) {
    self.persistentState = persistentState
    persistentState.attach(self)
  }

  var room: Int? { persistentState.get(0) }
  var hour: Int? { persistentState.get(1) }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "room", keypath: \Showing.room),
      .init(name: "hour", keypath: \Showing.hour),
      .init(
        name: "SwiftData.Schema.Unique",
        keypath: \Showing.self,
        defaultValue: Schema.Unique<Showing>([\.room, \.hour], policy: .reject)
      ),
    ]
  }
}
