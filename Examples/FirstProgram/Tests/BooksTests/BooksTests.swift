import SwiftData
import Testing

@testable import books

@Suite struct BooksTests {
  @Test func aFileOfTheFirstVersionIsBroughtUpToDate() throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "books-\(UUID().uuidString).store")
    // A file that cannot be removed is left for the system to clean up.
    defer { try? FileManager.default.removeItem(at: file) }
    let former = try ModelContainer(
      for: BooksV1.Book.self,
      configurations: ModelConfiguration(
        schema: Schema(versionedSchema: BooksV1.self),
        url: file
      )
    )
    let old = ModelContext(former)
    old.insert(BooksV1.Book("Invisible Cities", year: 1972))
    try old.save()
    let context = try openBooks(at: file)
    #expect(try list(context) == ["Invisible Cities, unknown, 1972"])
    context.insert(Book("Cosmicomics", author: "Italo Calvino"))
    try context.save()
    let again = try openBooks(at: file)
    #expect(
      try list(again) == [
        "Cosmicomics, Italo Calvino, no year", "Invisible Cities, unknown, 1972",
      ]
    )
  }
}
