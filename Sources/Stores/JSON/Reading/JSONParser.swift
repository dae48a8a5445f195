import CSimdjson

/// Parses one text from beginning to end, with simdjson after our own checks.
///
/// Belongs to one thread.
struct JSONParser: ~Copyable {
  /// The complete records of a window; the parser keeps a fixed number of batches valid.
  struct Batch {
    let items: UnsafeBufferPointer<catalog_json_item>
    let cells: UnsafeBufferPointer<catalog_json_cell>
    let consumed: Int
  }

  /// The number of bytes after every window that must be readable.
  static var paddingBytes: Int { catalog_json_padding() }

  /// Nil for separated values.
  private let json: OpaquePointer?
  /// Reads separated values; nil for JSON.
  let delimited: DelimitedReader?

  /// Starts to read a text.
  ///
  /// - Parameters:
  ///   - format: How the text is written; a catalog and every other document are read alike.
  ///   - records: The offsets of the records to read, ascending; nil reads all. Of other records
  ///     only the brackets are checked.
  ///   - batches: The number of batches that stay valid.
  init(_ format: TextFormat, reading records: [Int]? = nil, batches: Int = 1) {
    let form: Int
    switch format {
    case .separated(let dialect):
      json = nil
      delimited = DelimitedReader(dialect, batches: batches)
      return
    case .json(.lines): form = CATALOG_JSON_LINES
    case .json(.named): form = CATALOG_JSON_NAMED
    case .json: form = CATALOG_JSON_DOCUMENT
    }
    delimited = nil
    guard let parser = catalog_json_create(Int32(form), batches) else {
      preconditionFailure("Out of memory.")
    }
    json = parser
    if let records { catalog_json_skip_others(parser, records, records.count) }
  }

  deinit { if let json { catalog_json_destroy(json) } }

  /// Reads the records of a window that begins at an offset of the file.
  ///
  /// - Throws: `JSONDamage` with the offset in the file.
  func read(_ window: UnsafeRawBufferPointer, at offset: Int, isLast: Bool) throws(JSONDamage)
    -> Batch
  {
    if let delimited { return try delimited.read(window, at: offset, isLast: isLast) }
    var batch = catalog_json_batch()
    var error = catalog_json_error()
    let bytes = window.assumingMemoryBound(to: UInt8.self)
    let result = catalog_json_read(
      json,
      bytes.baseAddress,
      bytes.count,
      max(0, offset),
      isLast ? 1 : 0,
      &batch,
      &error
    )
    guard result == 0 else { throw Self.damage(error, in: window, at: offset) }
    return Batch(
      items: UnsafeBufferPointer(start: batch.items, count: batch.item_count),
      cells: UnsafeBufferPointer(start: batch.cells, count: batch.cell_count),
      consumed: batch.consumed
    )
  }

  /// The number of values such as NaN, which count as missing.
  var notNumberCount: Int { json.map { catalog_json_not_number_count($0) } ?? 0 }

  /// The number of different keys seen in an array of records.
  func keyCount(section: Int) -> Int {
    delimited?.dialect.columns.count ?? catalog_json_key_count(json, UInt32(section))
  }

  func keyName(_ key: Int, section: Int) -> String {
    if let delimited { return delimited.dialect.columns[key] }
    var count = 0
    let name = catalog_json_key_name(json, UInt32(section), key, &count)
    return String(decoding: UnsafeBufferPointer(start: name, count: count), as: UTF8.self)
  }

  /// The kinds of values seen under a key.
  func facts(_ key: Int, section: Int) -> JSONFacts {
    delimited?.facts(key)
      ?? JSONFacts(rawValue: catalog_json_key_facts(json, UInt32(section), key))
  }

  private static func damage(
    _ error: catalog_json_error,
    in window: UnsafeRawBufferPointer,
    at offset: Int
  ) -> JSONDamage {
    let place = min(error.offset, window.count)
    let expected = String(cString: error.expected)
    let message: String
    if error.is_duplicate != 0 {
      message = "duplicate key"
    } else if error.is_encoding != 0 {
      message = "invalid UTF-8"
    } else if expected.hasPrefix("at most") {
      // A limit: what stands there is right as such.
      message = "expected \(expected)"
    } else {
      message = "expected \(expected), found \(found(window[place...]))"
    }
    return JSONDamage(
      offset: offset + place,
      message: message,
      recordsEnd: error.knows_records != 0 ? offset + error.records_end : nil
    )
  }

  /// What the bytes begin with, in words.
  static func found(_ bytes: some Collection<UInt8>) -> String {
    guard let byte = bytes.first else { return "the end of the file" }
    switch byte {
    case UInt8(ascii: "{"): return "an object"
    case UInt8(ascii: "["): return "an array"
    case UInt8(ascii: "\""): return "a string"
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return "a number"
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      let word = bytes.prefix(20).prefix { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
      return String(decoding: word, as: UTF8.self)
    case 0x21...0x7E: return "\"\(Character(Unicode.Scalar(byte)))\""
    default: return "the byte \(byte)"
    }
  }
}

extension JSONParser {
  /// Explains why a text is not a single JSON value that a file may hold; nil if it is.
  static func fault(inValue text: String) -> String? {
    var bytes = Array("{\"\":\(text)}".utf8)
    let count = bytes.count
    bytes += [UInt8](repeating: 0, count: paddingBytes)
    return bytes.withUnsafeBytes { buffer in
      let parser = JSONParser(.json(.lines))
      return parser.fault(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// The batch is in memory of the parser, which must outlive it; therefore this is a method.
  private borrowing func fault(in window: UnsafeRawBufferPointer) -> String? {
    do throws(JSONDamage) {
      let batch = try read(window, at: -4, isLast: true)
      return batch.items.count == 1 && batch.items[0].cell_count == 1
        ? nil : "expected a single value"
    } catch {
      return error.message
    }
  }
}
