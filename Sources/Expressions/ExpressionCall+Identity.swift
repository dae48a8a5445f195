import Foundation
import OpenSwiftData

/// Values that stand for a record or a text.
extension ExpressionCall {
  func identity() -> CompiledPart {
    if function == .hash {
      return strict(.text) { values throws(ExpressionFailure) in
        let digits = String(values[0].text.hash64(seed: 0), radix: 16)
        return .value(.text(String(repeating: "0", count: 16 - digits.count) + digits))
      }
    }
    // The same record has the same identifier in all values of a command.
    let seed = compiler.scope.randomNumber
    return result(.uuid) { row throws(ExpressionFailure) in
      let name = row.identifier
      // Version 4 of RFC 9562.
      return .value(
        .uuid(
          UUID(
            high: name.hash64(seed: seed) & ~0xF000 | 0x4000,
            low: name.hash64(seed: ~seed) >> 2 | 1 << 63
          )
        )
      )
    }
  }
}

extension String {
  /// XXH64 of the UTF-8 bytes.
  fileprivate func hash64(seed: UInt64) -> UInt64 {
    var text = self
    return text.withUTF8 { TextHash.hash(UnsafeRawBufferPointer($0), seed: seed) }
  }
}
