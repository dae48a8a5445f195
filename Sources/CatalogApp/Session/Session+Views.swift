/// Views of the store that are kept between runs.
extension Session {
  /// The views of the store, and a note if their file cannot be used.
  package func readViews() -> (book: ViewBook, note: String?) {
    guard let location = store.location else { return (ViewBook(), nil) }
    do {
      guard let text = try services.views(of: location) else { return (ViewBook(), nil) }
      return (try ViewBook(parsing: text), nil)
    } catch {
      var book = ViewBook()
      book.isReadable = false
      let place = services.viewsPath(of: location).map { " (\($0); remove it to start over)" } ?? ""
      return (book, "saved views are not used: \(FailureCode.place(of: error).message)\(place)")
    }
  }

  /// Keeps views for the next run.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  package func keepViews(_ book: ViewBook, of location: String) throws {
    guard book.isReadable else { return }
    try services.keepViews(book.isEmpty ? nil : book.text, of: location)
  }
}
