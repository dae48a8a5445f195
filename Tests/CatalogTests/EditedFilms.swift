import Testing

/// A store of films, and runs of the program that edit one of them without saving.
struct EditedFilms {
  let folder: TemporaryFolder
  /// The recovery file.
  static let journal = ".films.json.catalog-recovery"

  init() throws {
    folder = try TemporaryFolder()
    let made = try folder.run([store, "--sample", "-e", "save"])
    #expect(made.status == 0)
  }

  var store: String { folder.file("films.json") }

  /// Opens the screen and makes a change.
  func onScreen() throws -> ScreenRun {
    let run = try ScreenRun([store])
    #expect(run.shows("Toy Story"))
    run.type(":set where title='Up' title='Up and away'\r")
    #expect(run.shows("set title of"))
    return run
  }

  /// Starts with `--plain` and makes a change.
  func lineByLine(leadsSession: Bool = false) throws -> ScreenRun {
    let run = try ScreenRun([store, "--plain"], leadsSession: leadsSession)
    #expect(run.shows("catalog> "))
    run.type("set where title='Up' title='Up and away'\n")
    #expect(run.shows("set title of"))
    #expect(run.shows("catalog> "))
    return run
  }
}
