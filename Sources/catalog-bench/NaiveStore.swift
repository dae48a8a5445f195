import Foundation

/// The store that one writes first: it decodes the whole file with Foundation and encodes it again for each save.
///
/// A peer for `open-json` and `edit-json`.
struct NaiveStore {
  /// The attributes that `bench/gen.py` writes.
  struct Film: Codable {
    var title: String
    var year: Int
    var director: String
    var boxOffice: Decimal
    var released: String
    var favourite: Bool
    var notes: String?
  }

  let path: String
  private(set) var films: [Film]

  /// Decodes the file.
  ///
  /// - Throws: The errors of Foundation.
  init(path: String) throws {
    self.path = path
    films = try JSONDecoder().decode([Film].self, from: Data(contentsOf: URL(filePath: path)))
  }

  /// Changes the year of one film and replaces the file.
  ///
  /// - Throws: The errors of Foundation.
  mutating func edit(_ index: Int, year: Int) throws {
    films[index].year = year
    try JSONEncoder().encode(films).write(to: URL(filePath: path), options: .atomic)
  }
}
