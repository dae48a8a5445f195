import OpenSwiftData

extension StoreConformance {
  static let conflictCases: [Case] = [
    Case("anotherContainersChangeOfTheSameValueIsAConflict", needs: twoContainers) { trial in
      try trial.saveTwice(changing: "title", and: "title") { trial, stored, error in
        trial.expectEqual(error?.code, .conflict, "the error of the second save")
        trial.expectEqual(stored?["title"], .text("theirs"), "the title")
      }
    },
    Case("anotherContainersChangeOfAnotherValueIsNotLost", needs: twoContainers) { trial in
      try trial.saveTwice(changing: "year", and: "title") { trial, stored, error in
        trial.expectEqual(stored?["year"], .integer(1), "the year of the first save")
        if let error {
          trial.expectEqual(error.code, .conflict, "the error of the second save")
        } else {
          trial.expectEqual(stored?["title"], .text("mine"), "the title of the second save")
        }
      }
    },
    Case("deletingWhatAnotherContainerChangedIsAConflict", needs: twoContainers) { trial in
      try trial.saveTwice(changing: "title", and: nil) { trial, stored, error in
        trial.expectEqual(error?.code, .conflict, "the error of the deletion")
        trial.expectEqual(stored?["title"], .text("theirs"), "the title")
      }
    },
    Case("ownSavesAreNotConflicts", needs: twoContainers) { trial in
      guard let store = try trial.filled() as? ConnectedStore else { return }
      let context = store.makeContext()
      guard let film = try context.fetch(FetchDescriptor<Film>()).first else { return }
      for title in ["first", "second", "third"] {
        film.persistentState.set(.text(title), at: 1)
        try context.save()
        trial.expectEqual(
          try store.one(film.persistentModelID)?["title"],
          .text(title),
          "the title"
        )
      }
      context.delete(film)
      try context.save()
      trial.expectEqual(try store.one(film.persistentModelID), nil, "the deleted film")
    },
  ]

  private static let twoContainers: Promises = [.detectsConflicts, .lasting]
}

extension ConformanceTrial {
  /// Reads a film in two containers, and saves a change of it in each.
  ///
  /// - Parameters:
  ///   - theirs: The field that the other container changes and saves first.
  ///   - mine: The field that this container then changes; nil to delete the film.
  ///   - check: Gets the film as it is stored in the end, and the error of the second save.
  /// - Throws: The error of a store that cannot be opened or read.
  fileprivate func saveTwice(
    changing theirs: String,
    and mine: String?,
    _ check: (ConformanceTrial, DefaultSnapshot?, PersistenceError?) throws -> Void
  ) throws {
    guard let here = try filled() as? ConnectedStore,
      let there = try reopened(here) as? ConnectedStore
    else { return note("only a store that is opened in a container can be opened twice") }
    let context = here.makeContext()
    guard let film = try context.fetch(FetchDescriptor<Film>()).first else {
      return note("no film was found")
    }
    let identifier = film.persistentModelID
    let other = there.makeContext()
    let same = try other.fetch(FetchDescriptor<Film>()).first { $0.persistentModelID == identifier }
    same?.change(theirs, to: "theirs")
    try other.save()
    if let mine { film.change(mine, to: "mine") } else { context.delete(film) }
    var error: PersistenceError?
    do {
      try context.save()
    } catch let thrown as PersistenceError {
      error = thrown
    }
    try check(self, try reopened(there).one(identifier), error)
  }
}

extension Film {
  /// Changes the title to the text, or the year to 1.
  fileprivate func change(_ field: String, to text: String) {
    if field == "title" {
      persistentState.set(.text(text), at: 1)
    } else {
      persistentState.set(.integer(1), at: 2)
    }
  }
}
