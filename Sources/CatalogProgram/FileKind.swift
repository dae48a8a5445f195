import CatalogApp
import Foundation
import OpenSwiftData
import SQLiteStores

/// A kind of file that no store of this program opens, recognized by its first bytes or its name.
///
/// The message names the kind and how to convert it, instead of an error about its first byte.
struct FileKind: Sendable {
  /// In words, with the article.
  let name: String
  /// How to get at its records, after the path and the name; `FILE` stands for the path.
  let advice: String
  private let recognizes: @Sendable (_ start: [UInt8], _ name: String) -> Bool

  /// A kind with certain first bytes, which a text does not have.
  init(_ name: String, _ advice: String, starts: [UInt8]...) {
    self.init(name, advice) { start, _ in starts.contains { start.starts(with: $0) } }
  }

  /// A kind of text with certain words at its beginning.
  init(_ name: String, _ advice: String, words: String...) {
    self.init(name, advice) { start, _ in
      let text = TextEncoding.withoutMark(start).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      let beginning = String(decoding: text.prefix(16), as: UTF8.self).lowercased()
      return words.contains { beginning.hasPrefix($0) }
    }
  }

  /// A kind that only its name tells, unless the file is JSON.
  init(_ name: String, _ advice: String, endings: String...) {
    self.init(name, advice) { start, file in
      endings.contains { file.hasSuffix($0) } && !Self.mayBeJSON(start)
    }
  }

  init(
    _ name: String,
    _ advice: String,
    recognizes: @escaping @Sendable (_ start: [UInt8], _ name: String) -> Bool
  ) {
    (self.name, self.advice, self.recognizes) = (name, advice, recognizes)
  }

  /// True for a text that begins like an array or an object; `[section]` begins like neither.
  private static func mayBeJSON(_ start: [UInt8]) -> Bool {
    let text = TextEncoding.withoutMark(start).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let first = text.first, "[{".utf8.contains(first) else { return false }
    let next = text.dropFirst().first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let next else { return true }
    return first == UInt8(ascii: "{")
      ? "\"}".utf8.contains(next)
      : "{[]\"-".utf8.contains(next) || (0x30...0x39).contains(next)
  }

  /// The bytes at the beginning that decide.
  static let startBytes = 512

  /// The kind of a file with these first bytes and this name; nil if it may be a store.
  init?(startingWith bytes: some Sequence<UInt8>, name: String = "") {
    let start = Array(bytes.prefix(Self.startBytes))
    let name = name.lowercased()
    guard let found = Self.all.first(where: { $0.recognizes(start, name) }) else { return nil }
    self = found
  }

  /// The first bytes of a regular file; empty if it cannot be read, which its store reports.
  static func start(of path: String) -> [UInt8] {
    DatabaseStart.bytes(of: path, count: startBytes) ?? []
  }

  /// The error for a path with this content, or for a text that is not a file.
  func refusal(of path: String) -> CommandError {
    let isFile = path != CatalogServices.inputName
    let line =
      isFile
      ? advice.replacing("'FILE'", with: "'\(path)'")
        .replacing("FILE", with: CommandText.quoted(path)) : "save it as FILE; " + advice
    return CommandError("\(path): is \(name); " + line)
  }
}
