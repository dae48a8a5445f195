import SwiftData

/// The books as the first version of the program saved them.
enum BooksV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model
  final class Book {
    var title: String
    var year: Int?

    init(_ title: String, year: Int? = nil) {
      self.title = title
      self.year = year
    }
  }
}

/// The books now: the year has another name, and there is an author.
enum BooksV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model
  final class Book {
    var title: String
    @Attribute(originalName: "year") var published: Int?
    var author: String = "unknown"

    init(_ title: String, published: Int? = nil, author: String) {
      self.title = title
      self.published = published
      self.author = author
    }
  }
}

/// The way from the old file to the new one.
enum BooksPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BooksV1.self, BooksV2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: BooksV1.self, toVersion: BooksV2.self)]
  }
}

typealias Book = BooksV2.Book
