import CXXHash

/// A 128-bit digest (XXH3) of a file's content; it detects accidental changes, not forgery.
package struct ContentDigest: Hashable, Sendable {
  package let low: UInt64
  package let high: UInt64

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  private init(_ digest: catalog_digest) { self.init(low: digest.low, high: digest.high) }

  /// Digests bytes in memory.
  ///
  /// - Complexity: O(n), about 10 GB a second.
  package init(of bytes: UnsafeRawBufferPointer) {
    self.init(catalog_xxh3_128(bytes.baseAddress, bytes.count))
  }

  /// Digests a text.
  package init(of text: String) {
    var text = text
    self = text.withUTF8 { ContentDigest(of: UnsafeRawBufferPointer($0)) }
  }

  /// Thirty-two hexadecimal digits.
  package var text: String { hexadecimal(high) + hexadecimal(low) }

  /// Computes a digest piece by piece.
  package struct Builder: ~Copyable {
    private let state: UnsafeMutableRawPointer

    package init() {
      guard let state = catalog_xxh3_128_begin() else { preconditionFailure("Out of memory.") }
      self.state = state
    }

    deinit { catalog_xxh3_free(state) }

    /// Adds bytes after those already added.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
      guard !bytes.isEmpty else { return }
      catalog_xxh3_128_add(state, bytes.baseAddress, bytes.count)
    }

    /// The digest of everything added so far.
    package func digest() -> ContentDigest { ContentDigest(catalog_xxh3_128_digest(state)) }
  }
}
