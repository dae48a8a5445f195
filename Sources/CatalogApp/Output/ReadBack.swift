import OpenSwiftData

/// Holds back the beginning of exported separated values until it is known that they are read as they were written.
///
/// Names that would be taken for values, such as `2020-01-22` or `-5`, get quotes. A class, because a printer passes
/// its sink on; belongs to one thread.
final class ReadBack {
  /// Finds out how separated values are written, as far as the name and options do not say it.
  typealias Reader = ([UInt8], _ promised: UInt8?, ReadingOptions) throws -> DelimitedText

  /// The bytes that decide how a file is read.
  private static let decidingBytes = 1 << 16

  private let format: OutputFormat
  private let columns: [String]
  private let usesLineFeeds: Bool
  private let read: Reader
  private let write: OutputSink
  private var held: [UInt8] = []
  private var isDecided = false
  /// True if the names are only read as names if somebody says so.
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
    let (best, options) = certainText
    isDoubtful = !options.isAutomatic
    try best.withUnsafeBytes { try write($0) }
    held = []
  }

  /// The text as it is or with names in quotes, whatever is read back first, and what has to be said for it.
  private var certainText: ([UInt8], ReadingOptions) {
    let texts = [held, headingEnd.map { quotedHeading + held[($0 + 1)...] } ?? held]
    for options in [ReadingOptions(), .namingColumns] {
      if let text = texts.first(where: { isReadBack($0, options) }) { return (text, options) }
    }
    return (held, .namingColumns)
  }

  /// Where the line with the names ends; in quotes, names have line feeds as they are.
  private var headingEnd: Int? {
    var isQuoted = false
    return held.firstIndex { byte in
      if byte == UInt8(ascii: "\""), format != .tsv { isQuoted.toggle() }
      return byte == 0x0A && !isQuoted
    }
  }

  private var quotedHeading: [UInt8] {
    let names = columns.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let end = format != .tsv && !usesLineFeeds ? "\r\n" : "\n"
    let delimiter = String(Unicode.Scalar(format.delimiter ?? UInt8(ascii: ",")))
    return Array((names.joined(separator: delimiter) + end).utf8)
  }

  private func isReadBack(_ bytes: [UInt8], _ options: ReadingOptions) -> Bool {
    let whole = bytes.lastIndex(of: 0x0A).map { Array(bytes[...$0]) } ?? bytes
    // A text that cannot be read is doubtful.
    guard let text = try? read(whole, format.promisedDelimiter, options) else { return false }
    return text.hasHeader && text.columns == columns && text.start == 0
      && (columns.count == 1 || text.syntax.delimiter == format.delimiter)
  }
}
