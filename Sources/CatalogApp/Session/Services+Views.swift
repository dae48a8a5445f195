extension Services {
  /// The views of the store at a location, and a note if their file cannot be used.
  package func readViews(of location: String?) -> (book: ViewBook, note: String?) {
    guard let location else { return (ViewBook(), nil) }
    do {
      guard let text = try views(of: location) else { return (ViewBook(), nil) }
      return (try ViewBook(parsing: text), nil)
    } catch {
      var book = ViewBook()
      book.isReadable = false
      let place = viewsPath(of: location).map { " (\($0); remove it to start over)" } ?? ""
      return (book, "saved views are not used: \(FailureCode.place(of: error).message)\(place)")
    }
  }

  /// Keeps views for the next run.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  package func keepViews(_ book: ViewBook, of location: String) throws {
    guard book.isReadable else { return }
    try keepViews(book.isEmpty ? nil : book.text, of: location)
  }
}
