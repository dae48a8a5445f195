import Foundation
import SwiftData

/// A shelf; its books are deleted with it.
@Model
final class Shelf {
  @Attribute(.unique) var code: String
  var room: String
  @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []

  init(code: String, room: String = "") {
    self.code = code
    self.room = room
  }
}

/// A book, with an index by year and one by two properties.
@Model
final class Book {
  #Index<Book>([\.year], [\.author, \.title])
  var title: String
  var author: String
  var year: Int
  var price: Decimal
  var bought: Date?
  var number: UUID
  var shelf: Shelf?
  @Relationship(deleteRule: .nullify, inverse: \Reader.books) var readers: [Reader] = []

  init(_ title: String, by author: String = "", year: Int = 2000, price: Decimal = 1) {
    self.title = title
    self.author = author
    self.year = year
    self.price = price
    number = UUID()
  }
}

/// A reader, who cannot be removed while loans are left.
@Model
final class Reader {
  var name: String
  var books: [Book] = []
  @Relationship(deleteRule: .deny, inverse: \Loan.reader) var loans: [Loan] = []

  init(name: String) { self.name = name }
}

@Model
final class Loan {
  #Unique<Loan>([\.day, \.place], policy: .reject)
  var day: Int
  var place: Int
  var reader: Reader?

  init(day: Int, place: Int) {
    self.day = day
    self.place = place
  }
}

@Model
class Device {
  var wheels: Int

  init(wheels: Int) { self.wheels = wheels }
}

@Model
final class Scanner: Device {
  var speed: Double

  init(wheels: Int, speed: Double) {
    self.speed = speed
    super.init(wheels: wheels)
  }
}

enum PagesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self] }

  @Model final class Page {
    var name: String
    var size: String
    init(name: String, size: String) {
      self.name = name
      self.size = size
    }
  }
}

/// One property more.
enum PagesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self] }

  @Model final class Page {
    @Attribute(originalName: "name") var title: String
    var size: String
    var note: String = "none"
    init(title: String, size: String) {
      self.title = title
      self.size = size
    }
  }
}

/// The size is a number, and titles are unique.
enum PagesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self] }

  @Model final class Page {
    @Attribute(.unique) var title: String
    var size: Int
    var note: String = "none"
    init(title: String, size: Int) {
      self.title = title
      self.size = size
    }
  }
}

enum PagesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PagesV1.self, PagesV2.self, PagesV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: PagesV1.self, toVersion: PagesV2.self),
      .custom(
        fromVersion: PagesV2.self,
        toVersion: PagesV3.self,
        willMigrate: { context in
          for (place, page) in try context.fetch(FetchDescriptor<PagesV2.Page>()).enumerated() {
            page.title += " \(place)"
          }
          try context.save()
        },
        didMigrate: nil
      ),
    ]
  }
}
