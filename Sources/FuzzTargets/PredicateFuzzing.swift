import CatalogApp
import Foundation
import OpenSwiftData

/// Reads bytes as a filter.
///
/// Either it is rejected with a column and a word, or it is parsed. Then its own description parses
/// as a filter that matches the same records, and the store finds the records that match one by
/// one.
enum PredicateFuzzing {
  static func run(_ bytes: [UInt8], isFlawed: Bool) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let filter: Filter
    do {
      filter = try FilterParser.parse(text, for: FuzzStore.film)
    } catch {
      return try FuzzViolation.unless(!"\(error)".isEmpty, "refused without a word")
    }
    // The flaw: a description in which every `and` is read as an `or`.
    let description =
      isFlawed
      ? filter.description.replacing(" and ", with: " or ") : filter.description
    let again: Filter
    do {
      again = try FilterParser.parse(description, for: FuzzStore.film)
    } catch {
      throw FuzzViolation("\(description) cannot be read again: \(error)")
    }
    try compare(filter, again, description)
  }

  private static func compare(_ filter: Filter, _ again: Filter, _ description: String) throws {
    let context = try FuzzStore.session().context
    let all = try context.fetchSnapshots(matching: Query("Film"))
    let first = try BoundFilter(filter, layout: FuzzStore.film.layout)
    let second = try BoundFilter(again, layout: FuzzStore.film.layout)
    let found = Set(
      try context.fetchIdentifiers(matching: Query("Film", filter: filter))
    )
    for film in all {
      let isWanted = first.matches(film)
      try FuzzViolation.unless(
        second.matches(film) == isWanted,
        "\(description) does not mean what it was read from"
      )
      try FuzzViolation.unless(
        found.contains(film.persistentIdentifier) == isWanted,
        "the store does not find what \(description) passes"
      )
    }
  }
}
