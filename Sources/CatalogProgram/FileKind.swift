import CatalogApp
import Foundation
import OpenSwiftData

/// A kind of file that no store of this program opens, recognized by its first bytes.
///
/// The message names the kind and how to convert it, instead of an error about its first byte.
struct FileKind: Sendable {
  /// In words, with the article.
  let name: String
  /// How to get at its records, after the path and the name; `FILE` stands for the path.
  let advice: String
  private let isStart: @Sendable ([UInt8]) -> Bool

  private init(_ name: String, _ advice: String, starts: [UInt8]...) {
    self.init(name, advice) { bytes in starts.contains { bytes.starts(with: $0) } }
  }

  private init(_ name: String, _ advice: String, isStart: @escaping @Sendable ([UInt8]) -> Bool) {
    (self.name, self.advice, self.isStart) = (name, advice, isStart)
  }

  private static let spreadsheet =
    "save it as CSV in the spreadsheet program, or run: libreoffice --convert-to csv FILE"
  private static let archive = "unpack it and open one of its files"

  /// Every kind that is recognized; earlier ones take precedence.
  private static let all: [FileKind] = [
    FileKind(
      "a SQLite database",
      "open it with: catalog sqlite:FILE",
      starts: Array("SQLite format 3\0".utf8)
    ),
    FileKind(
      "a Parquet file",
      "convert it with: duckdb -c \"copy 'FILE' to 'out.csv'\"",
      starts: Array("PAR1".utf8)
    ),
    FileKind(
      "an Arrow file",
      "convert it to CSV or JSON, for example with Python and pyarrow",
      starts: Array("ARROW1".utf8)
    ),
    FileKind(
      "an Avro file",
      "convert it with: avro-tools tojson FILE > out.jsonl",
      starts: Array("Obj\u{1}".utf8)
    ),
    FileKind("an OpenDocument spreadsheet", spreadsheet) {
      $0.starts(with: Array("PK".utf8)) && contains("opendocument.spreadsheet", $0)
    },
    FileKind("an Excel workbook", spreadsheet) {
      $0.starts(with: [0xD0, 0xCF, 0x11, 0xE0])
        || ($0.starts(with: Array("PK".utf8))
          && (contains("xl/", $0) || contains("[Content_Types]", $0)))
    },
    FileKind("a ZIP archive", archive, starts: Array("PK\u{3}\u{4}".utf8)),
    FileKind(
      "a file compressed with bzip2",
      "run: bzip2 -dk FILE",
      starts: Array("BZh".utf8)
    ),
    FileKind(
      "a file compressed with xz",
      "run: xz -dk FILE",
      starts: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    ),
    FileKind("a PDF document", "export its data as CSV or JSON", starts: Array("%PDF-".utf8)),
    FileKind(
      "an image",
      "only text files with records can be opened",
      starts: [0x89, 0x50, 0x4E, 0x47],
      [0xFF, 0xD8, 0xFF],
      Array("GIF8".utf8)
    ),
    FileKind(
      "a program",
      "only text files with records can be opened",
      starts: [0x7F, 0x45, 0x4C, 0x46]
    ),
    FileKind(
      "an XML or HTML document",
      "convert it to JSON, for example with: xq . FILE > out.json",
      starts: Array("<?xml".utf8),
      Array("<!DOCTYPE".utf8),
      Array("<html".utf8)
    ),
  ]

  /// The bytes at the beginning that decide.
  static let startBytes = 512

  /// The kind of a file with these first bytes; nil if it may be a store.
  init?(startingWith bytes: [UInt8]) {
    let start = Array(bytes.prefix(Self.startBytes))
    guard let found = Self.all.first(where: { $0.isStart(start) }) else { return nil }
    self = found
  }

  /// The first bytes of a regular file; empty if it cannot be read, which its store reports.
  static func start(of path: String) -> [UInt8] {
    let type = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    )[.type]
    guard type as? FileAttributeType == .typeRegular else { return [] }
    let file = try? FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    return (try? file?.read(upToCount: startBytes)).flatMap { $0.map { Array($0) } } ?? []
  }

  /// The error for a path with this content.
  func refusal(of path: String) -> CommandError {
    CommandError("\(path): is \(name); " + advice.replacing("FILE", with: path))
  }

  private static func contains(_ text: String, _ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains(text)
  }
}
