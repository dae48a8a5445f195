extension Services {
  /// The views of the store at a location, and a note if their file cannot be used.
  package func readViews(of location: String?) -> (book: ViewBook, note: String?) {
    guard let location else { return (ViewBook(), nil) }
    do {
      return (try storedViews(of: location), nil)
    } catch {
      return (ViewBook(), "saved views are not used: \(error.message)")
    }
  }

  /// Keeps views for the next run; a file that cannot be read is not replaced.
  ///
  /// - Throws: `CommandError` or `PersistenceError` with the path and the reason.
  package func keepViews(_ book: ViewBook, of location: String) throws {
    do {
      _ = try storedViews(of: location)
    } catch {
      throw CommandError("views are not saved: \(error.message)", code: error.code)
    }
    try keepViews(book.isEmpty ? nil : book.text, of: location)
  }

  /// The views in the file of a store; none without a file.
  private func storedViews(of location: String) throws(CommandError) -> ViewBook {
    do {
      return try views(of: location).map { try ViewBook(parsing: $0) } ?? ViewBook()
    } catch {
      let place = viewsPath(of: location).map { " (\($0); remove it to start over)" } ?? ""
      throw CommandError(
        FailureCode.place(of: error).message + place,
        code: FailureCode(error)
      )
    }
  }
}
