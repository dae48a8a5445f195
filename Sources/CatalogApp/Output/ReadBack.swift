import OpenSwiftData

/// Holds back the beginning of exported separated values until it is known that they are read as they were written.
///
/// Names that would be taken for values, such as `2020-01-22` or `-5`, get quotes. A class, because a printer passes
/// its sink on; belongs to one thread.
final class ReadBack {
  /// Finds out how separated values are written; true for tabs.
  typealias Reader = ([UInt8], _ hasTabs: Bool) throws -> DelimitedText

  /// The bytes that decide how a file is read.
  private static let decidingBytes = 1 << 16

  private let format: OutputFormat
  private let columns: [String]
  private let usesLineFeeds: Bool
  private let read: Reader
  private let write: OutputSink
  private var held: [UInt8] = []
  private var isDecided = false
  /// True if the names are not read as names.
  private(set) var isDoubtful = false

  init(
    _ format: OutputFormat,
    _ columns: [String],
    usesLineFeeds: Bool,
    _ read: @escaping Reader,
    write: @escaping OutputSink
  ) {
    self.format = format
    self.columns = columns
    self.usesLineFeeds = usesLineFeeds
    self.read = read
    self.write = write
  }

  /// Takes the next bytes.
  func put(_ bytes: UnsafeRawBufferPointer) throws {
    if isDecided { return try write(bytes) }
    held += bytes
    if held.count >= Self.decidingBytes { try finish() }
  }

  /// Writes what is held back.
  func finish() throws {
    if isDecided { return }
    isDecided = true
    if !isReadBack(held), let end = held.firstIndex(of: 0x0A) {
      let quoted = quotedHeading + held[(end + 1)...]
      if isReadBack(quoted) { held = quoted } else { isDoubtful = true }
    }
    try held.withUnsafeBytes { try write($0) }
    held = []
  }

  private var quotedHeading: [UInt8] {
    let names = columns.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let end = format == .csv && !usesLineFeeds ? "\r\n" : "\n"
    return Array((names.joined(separator: format == .tsv ? "\t" : ",") + end).utf8)
  }

  private func isReadBack(_ bytes: [UInt8]) -> Bool {
    let whole = bytes.lastIndex(of: 0x0A).map { Array(bytes[...$0]) } ?? bytes
    // A text that cannot be read is doubtful.
    guard let text = try? read(whole, format == .tsv) else { return false }
    let delimiter: UInt8 = format == .tsv ? 0x09 : UInt8(ascii: ",")
    return text.hasHeader && text.columns == columns && text.start == 0
      && (columns.count == 1 || text.syntax.delimiter == delimiter)
  }
}
