import CSimdjson
import OpenSwiftData

/// One pass of the parser over a source, window by window.
struct JSONPass: Sendable {
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  let source: JSONSource
  let format: TextFormat
  /// The offsets of the records to read, ascending; nil reads all.
  var records: [Int]?
  /// The size of a window, unless a record is longer.
  var windowBytes = 1 << 18

  /// Calls the body with the complete records of each window, its offset and its bytes.
  ///
  /// The pass ends when the body returns false.
  ///
  /// - Throws: `JSONDamage`, what the source and the body throw.
  func run(
    _ body: (borrowing JSONParser, JSONParser.Batch, Int, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var reading = Reading(self, windows: 1)
    while true {
      let window = try reading.next()
      let isWanted = try body(reading.parser, window.batch, window.offset, window.bytes)
      if !isWanted || window.isLast { return }
    }
  }
}

extension JSONPass {
  /// Bytes of the file, and what the parser found in them.
  struct Window {
    let bytes: UnsafeRawBufferPointer
    /// The offset of the bytes in the file.
    let offset: Int
    let batch: JSONParser.Batch
    let isLast: Bool
    /// The bytes that no earlier window had, with the byte order mark.
    let newBytes: UnsafeRawBufferPointer
  }

  /// Reads and parses window by window.
  ///
  /// As many windows as requested stay valid, with their batches.
  struct Reading: ~Copyable {
    let parser: JSONParser
    private let source: JSONSource
    private var memory: [UnsafeMutableRawBufferPointer]
    private var place = 0
    private var capacity: Int
    /// The bytes of the last window that belong to the next one.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    private var offset = 0
    private var isFirst = true

    init(_ pass: JSONPass, windows: Int) {
      parser = JSONParser(pass.format, reading: pass.records, batches: windows)
      source = pass.source
      capacity = min(pass.windowBytes, source.sizeBytes + 1)
      memory = Array(repeating: .init(start: nil, count: 0), count: windows)
    }

    deinit { for part in memory { part.deallocate() } }

    /// Reads the next window.
    ///
    /// - Throws: `JSONDamage`, what the source throws.
    mutating func next() throws -> Window {
      takeMemory()
      let room = memory[place]
      let added = try source.read(
        at: offset + rest.count,
        into: UnsafeMutableRawBufferPointer(rebasing: room[rest.count..<capacity])
      )
      let count = rest.count + added
      UnsafeMutableRawBufferPointer(rebasing: room[count..<(count + JSONParser.paddingBytes)])
        .initializeMemory(as: UInt8.self, repeating: 0)
      var bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
      let newBytes = UnsafeRawBufferPointer(rebasing: bytes[rest.count...])
      if isFirst { try checkBeginning(&bytes) }
      let isLast = count < capacity
      let batch = try parser.read(bytes, at: offset, isLast: isLast)
      let window = Window(
        bytes: bytes,
        offset: offset,
        batch: batch,
        isLast: isLast,
        newBytes: newBytes
      )
      rest = UnsafeRawBufferPointer(rebasing: bytes[batch.consumed...])
      offset += batch.consumed
      if batch.consumed == 0 { capacity *= 2 }
      return window
    }

    /// Skips the mark of the encoding.
    ///
    /// - Throws: `JSONDamage` for an encoding that is not UTF-8.
    private mutating func checkBeginning(_ bytes: inout UnsafeRawBufferPointer) throws {
      isFirst = false
      if bytes.starts(with: JSONPass.mark) {
        offset = JSONPass.mark.count
        bytes = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      }
      if let refusal = TextEncoding.refusal(of: Array(bytes.prefix(4))) {
        throw JSONDamage(offset: 0, message: refusal)
      }
    }

    /// Puts the rest of the last window at the beginning of the oldest one's memory.
    private mutating func takeMemory() {
      place = (place + 1) % memory.count
      let size = capacity + JSONParser.paddingBytes
      if memory[place].count >= size {
        memory[place].copyMemory(from: rest)
      } else {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        larger.copyMemory(from: rest)
        memory[place].deallocate()
        memory[place] = larger
      }
    }
  }
}
