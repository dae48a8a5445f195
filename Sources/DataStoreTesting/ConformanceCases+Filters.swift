import Foundation
import OpenSwiftData

extension StoreConformance {
  static let filterCases: [Case] = [
    Case("comparisonsHoldForEveryTypeAndValue") { trial in
      let store = try trial.filled()
      for name in Fixture.pool.keys.sorted() {
        for value in Fixture.pool[name] ?? [] {
          for comparison in Filter.Comparison.allCases {
            try trial.compare(store, filter: .compare(name, comparison, value))
          }
        }
      }
    },
    Case("numbersOfAllKindsCompareWithEachOther") { trial in
      let store = try trial.filled()
      let numbers: [Value] = [
        .integer(2009), .number(2009), .number(2008.5), Fixture.decimal("2009.0"),
        Fixture.decimal("735.1"), .number(735.1), .integer(.max), .number(9.3e18), .integer(-12),
        .number(.infinity), .number(-.infinity), .number(.nan), .decimal(.nan),
      ]
      for name in ["year", "rating", "gross"] {
        for value in numbers {
          for comparison in Filter.Comparison.allCases {
            try trial.compare(store, filter: .compare(name, comparison, value))
          }
          try trial.compare(store, filter: .isIn(name, [value, .number(-0.25)]))
        }
      }
    },
    Case("attributesCompareWithEachOther") { trial in
      let store = try trial.filled()
      for comparison in Filter.Comparison.allCases {
        for (left, right) in [
          ("year", "serial"), ("year", "rating"), ("rating", "gross"), ("title", "title"),
          ("title", "year"), ("released", "added"),
        ] {
          try trial.compare(store, filter: .compareAttributes(left, comparison, right))
        }
      }
    },
    Case("betweenIncludesBothEnds") { trial in
      let store = try trial.filled()
      for name in Fixture.pool.keys.sorted() {
        for low in Fixture.pool[name] ?? [] {
          for high in Fixture.pool[name] ?? [] {
            try trial.compare(store, filter: .between(name, low, high))
          }
        }
      }
    },
    Case("membershipFindsEveryListedValue") { trial in
      let store = try trial.filled()
      for name in Fixture.pool.keys.sorted() {
        let values = Fixture.pool[name] ?? []
        try trial.compare(store, filter: .isIn(name, []))
        try trial.compare(store, filter: .isIn(name, Array(values.prefix(2))))
        try trial.compare(store, filter: .isIn(name, Array(values.suffix(2))))
        try trial.compare(store, filter: .isIn(name, values))
      }
      try trial.compare(store, filter: .isIn("code", (0..<40).map(Fixture.uuid)))
    },
    Case("textIsMatchedInEveryWay") { trial in
      let store = try trial.filled()
      let options: [TextMatch.Options] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        .characters, [.caseInsensitive, .characters],
      ]
      let patterns = ["", "up", "U", "p", "ame", "é", "ç", "*", "?p*", "100% ", "京"]
      let expressions = ["", "[Uu]p.*", "u.", ".*", "am[eé].*", "\\d+% .*"]
      for operation in TextMatch.Operation.allCases {
        for option in options {
          for pattern in operation == .matches ? expressions : patterns {
            let match = TextMatch(operation, pattern, options: option)
            try trial.compare(store, filter: .text("title", match))
            try trial.compare(store, filter: .not(.text("title", match)))
          }
        }
      }
    },
    Case("theTextFormOfEveryTypeIsSearched") { trial in
      let store = try trial.filled()
      for pattern in ["2009", "8.5", "true", "05", "735.1", "a", "[", "T00", "-", "upw", "a000"] {
        let match = TextMatch(.contains, pattern, options: .caseInsensitive)
        try trial.compare(store, filter: .anyText(match))
        for name in Fixture.pool.keys.sorted() {
          try trial.compare(store, filter: .text(name, match))
        }
      }
    },
    Case("missingValuesAreFound") { trial in
      let store = try trial.filled()
      for attribute in Fixture.entity(Fixture.film).fields {
        try trial.compare(store, filter: .isNull(attribute.name))
        try trial.compare(store, filter: .not(.isNull(attribute.name)))
        try trial.compare(store, filter: .compare(attribute.name, .equal, .null))
        try trial.compare(store, filter: .compare(attribute.name, .notEqual, .null))
        try trial.compare(store, filter: .compare(attribute.name, .less, .null))
      }
    },
    Case("filtersAreCombined") { trial in
      let store = try trial.filled()
      let parts: [Filter] = [
        .constant(true), .constant(false), .compare("year", .greater, .integer(2000)),
        .isNull("rating"), .text("title", TextMatch(.contains, "p")),
      ]
      try trial.compare(store, filter: .and([]))
      try trial.compare(store, filter: .or([]))
      try trial.compare(store, filter: .and(parts))
      for left in parts {
        for right in parts {
          try trial.compare(store, filter: .and([left, .not(right)]))
          try trial.compare(store, filter: .or([.not(left), right]))
          try trial.compare(store, filter: .not(.or([left, .and([right, left])])))
        }
      }
    },
    Case("linksAreFoundByTheirRecord") { trial in
      let store = try trial.makeStore()
      let people = try trial.insertPeople(3, into: store)
      let films = try Fixture.fill(
        store,
        films: [
          Fixture.title("A", ["director": .link(people[0]), "cast": .links(people)]),
          Fixture.title("B", ["director": .link(people[1]), "cast": .links([])]),
          Fixture.title("C"),
        ]
      )
      let byFirst = Filter.compare("director", .equal, .link(people[0]))
      try trial.compare(store, filter: byFirst)
      trial.expectEqual(
        try store.identifiers(matching: Query(Fixture.film, filter: byFirst)),
        [films[0]],
        "the films of a director"
      )
      try trial.compare(store, filter: .compare("director", .notEqual, .link(people[0])))
      try trial.compare(store, filter: .isIn("director", [.link(people[1]), .link(people[2])]))
      try trial.compare(store, filter: .compare("cast", .equal, .links(people)))
      try trial.compare(store, filter: .compare("cast", .equal, .links([])))
      try trial.compare(store, filter: .isNull("cast"))
    },
  ]
}

extension ConformanceTrial {
  /// A store with films that use all values of the pool.
  func filled() throws -> any QueryableStore {
    let store = try makeStore()
    _ = try Fixture.fill(store, films: Fixture.mixedFilms())
    return store
  }

  /// Compares a filter with its reference.
  func compare(_ store: any QueryableStore, filter: Filter) throws {
    try compare(store, Query(Fixture.film, filter: filter))
  }

  /// Inserts a number of people and returns their identifiers.
  func insertPeople(_ count: Int, into store: any QueryableStore) throws -> [PersistentIdentifier] {
    let people = (1...count).map {
      Fixture.new(Fixture.person, 1000 + $0, ["name": .text("Person \($0)")])
    }
    let result = try store.commit(ChangeSet(inserted: people), author: nil)
    return people.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
  }
}
