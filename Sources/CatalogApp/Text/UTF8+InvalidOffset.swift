extension UTF8 {
  /// The offset of the first bytes that are not UTF-8; nil if all are.
  ///
  /// - Complexity: O(n), for messages only.
  package static func firstInvalidOffset(in bytes: some Sequence<UInt8>) -> Int? {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): offset += String(scalar).utf8.count
      case .emptyInput: return nil
      case .error: return offset
      }
    }
  }
}
