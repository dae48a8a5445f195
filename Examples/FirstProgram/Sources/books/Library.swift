import SwiftData

/// Opens the file, and brings one of the first version up to date.
func openBooks(at file: URL) throws -> ModelContext {
  let container = try ModelContainer(
    for: Book.self,
    migrationPlan: BooksPlan.self,
    configurations: ModelConfiguration(url: file)
  )
  return ModelContext(container)
}

/// The books in the order of their titles, one line each.
func list(_ context: ModelContext) throws -> [String] {
  let byTitle = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
  return try context.fetch(byTitle).map { book in
    "\(book.title), \(book.author), \(book.published.map(String.init) ?? "no year")"
  }
}
