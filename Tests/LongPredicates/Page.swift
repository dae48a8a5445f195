import SwiftData

// Typical predicates, to test the compiler: it must type-check them within the number of steps that
// Package.swift sets. bench/predicates compares the time with that of Foundation alone.

@Model
final class Book {
  var title = ""
  var notes = ""
  var year = 0
  var rating: Int?
  var added = Date(timeIntervalSince1970: 0)
  var isRead = false
  var subtitle: String?
  var author: Author?
  init() {}
}

@Model
final class Author {
  var name = ""
  var born: Int?
  @Relationship(inverse: \Book.author) var books: [Book] = []
  init() {}
}

/// The requested values.
struct Search {
  var text: String
  var year: Int
  var since: Date
  var author: PersistentIdentifier
  var years: [Int]

  func exactWords() -> Predicate<Book> {
    let (text, year) = (text, year)
    return #Predicate<Book> {
      $0.title == text && $0.notes != text && $0.year > year && $0.year < year + 10
        && ($0.title == "a" || $0.title == "b")
    }
  }

  func words() -> Predicate<Book> {
    let text = text
    return #Predicate<Book> {
      text.isEmpty || $0.title.contains(text) || $0.author?.name.contains(text) == true
    }
  }

  func bounds() -> Predicate<Book> {
    let (year, since) = (year, since)
    return #Predicate<Book> { $0.year >= year && $0.added > since && !$0.isRead }
  }

  func optionals() -> Predicate<Book> {
    let (text, year) = (text, year)
    return #Predicate<Book> {
      ($0.rating ?? 0) > 3 && $0.subtitle != text && $0.author?.born == year
    }
  }

  func relationships() -> Predicate<Book> {
    let (author, years) = (author, years)
    return #Predicate<Book> {
      $0.author?.persistentModelID == author && years.contains($0.year) && $0.title != ""
    }
  }

  func elements() -> Predicate<Author> {
    let (text, year) = (text, year)
    return #Predicate<Author> {
      $0.name != text && $0.books.contains { $0.year > year && $0.title == text && !$0.isRead }
    }
  }
}
