import CSimdjson
import OpenSwiftData

/// One pass of the parser over a source, window by window.
struct JSONPass {
  private static let windowBytes = 1 << 19
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  let source: JSONSource
  let hasLines: Bool
  /// The offsets of the records to read, ascending; nil reads all.
  var records: [Int]?

  /// Calls the body with the complete records of each window, its offset and its bytes.
  ///
  /// The pass ends when the body returns false. `digest` gets every byte while the body returns
  /// true.
  ///
  /// - Throws: `JSONDamage`, what the source and the body throw.
  func run(
    digest: ((UnsafeRawBufferPointer) -> Void)? = nil,
    _ body: (borrowing JSONParser, JSONParser.Batch, Int, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let parser = JSONParser(lines: hasLines, reading: records)
    var window = Window(capacity: min(Self.windowBytes, source.sizeBytes + 1))
    defer { window.deallocate() }
    var offset = 0
    var isFirst = true
    while true {
      let added = try window.fill(from: source, at: offset + window.count)
      digest?(added)
      let isLast = window.count < window.capacity
      if isFirst, window.bytes.starts(with: Self.mark) {
        offset = Self.mark.count
        window.drop(offset)
      }
      let bytes = window.bytes
      if isFirst, let refusal = TextEncoding.refusal(of: bytes) {
        throw JSONDamage(offset: 0, message: refusal)
      }
      isFirst = false
      let batch = try parser.read(bytes, at: offset, isLast: isLast)
      guard try body(parser, batch, offset, bytes), !isLast else { return }
      if batch.consumed == 0 { window.grow() } else { window.drop(batch.consumed) }
      offset += batch.consumed
    }
  }

  /// Bytes of the file, followed by padding that the parser may read.
  private struct Window {
    private var memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    var capacity: Int { memory.count - JSONParser.paddingBytes }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    init(capacity: Int) {
      memory = .allocate(byteCount: capacity + JSONParser.paddingBytes, alignment: 64)
    }

    func deallocate() { memory.deallocate() }

    /// Fills the free space; returns the bytes added.
    mutating func fill(from source: JSONSource, at offset: Int) throws -> UnsafeRawBufferPointer {
      let room = UnsafeMutableRawBufferPointer(rebasing: memory[count..<capacity])
      let added = try source.read(at: offset, into: room)
      let before = count
      count += added
      UnsafeMutableRawBufferPointer(
        rebasing: memory[count..<(count + JSONParser.paddingBytes)]
      ).initializeMemory(as: UInt8.self, repeating: 0)
      return UnsafeRawBufferPointer(rebasing: memory[before..<count])
    }

    mutating func drop(_ bytes: Int) {
      guard bytes > 0 else { return }
      let rest = UnsafeRawBufferPointer(rebasing: memory[bytes..<count])
      memory.copyMemory(from: rest)
      count -= bytes
    }

    mutating func grow() {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: capacity * 2 + JSONParser.paddingBytes,
        alignment: 64
      )
      larger.copyMemory(from: bytes)
      memory.deallocate()
      memory = larger
    }
  }
}
