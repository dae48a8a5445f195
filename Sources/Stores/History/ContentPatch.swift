import CZstd

/// A content of a file as it differs from a later one: a Zstandard frame whose prefix is the later content.
///
/// An edit of a file of 11 MB takes some 1.5 KB.
enum ContentPatch {
  /// Larger contents have no patch.
  static let limitBytes = 16 << 20

  /// Makes a patch that leads from a content back to the former one.
  ///
  /// - Complexity: O(n) in the size of both, about 1 GB a second.
  static func bytes(leadingTo former: [UInt8], from present: [UInt8]) -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("Out of memory.") }
    defer { ZSTD_freeCCtx(context) }
    let size = max(1 << 10, former.count + present.count)
    let windowLog = Int32(Int.bitWidth - size.leadingZeroBitCount)
    // Matches are also found where the contents are far apart.
    for (parameter, value) in [
      (ZSTD_c_compressionLevel, 1), (ZSTD_c_windowLog, windowLog),
      (ZSTD_c_enableLongDistanceMatching, 1),
    ] {
      let result = ZSTD_CCtx_setParameter(context, parameter, value)
      precondition(ZSTD_isError(result) == 0, "the parameters of a patch are valid")
    }
    return present.withUnsafeBytes { present in
      former.withUnsafeBytes { former in
        _ = ZSTD_CCtx_refPrefix(context, present.baseAddress, present.count)
        let room = ZSTD_compressBound(former.count)
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
          let result = ZSTD_compress2(
            context,
            buffer.baseAddress,
            room,
            former.baseAddress,
            former.count
          )
          precondition(ZSTD_isError(result) == 0, "a patch fits into its room")
          count = result
        }
      }
    }
  }

  /// The content that a patch leads to; nil if it was made from another one.
  static func content(_ patch: [UInt8], from present: [UInt8]) -> [UInt8]? {
    let size = patch.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    // The sizes that stand for an error are greater than this one.
    guard size <= UInt64(limitBytes), let context = ZSTD_createDCtx() else { return nil }
    defer { ZSTD_freeDCtx(context) }
    var isRead = false
    let content = present.withUnsafeBytes { present in
      patch.withUnsafeBytes { patch in
        _ = ZSTD_DCtx_refPrefix(context, present.baseAddress, present.count)
        return [UInt8](unsafeUninitializedCapacity: max(1, Int(size))) { buffer, count in
          let result = ZSTD_decompressDCtx(
            context,
            buffer.baseAddress,
            buffer.count,
            patch.baseAddress,
            patch.count
          )
          isRead = ZSTD_isError(result) == 0
          count = isRead ? result : 0
        }
      }
    }
    return isRead ? content : nil
  }
}
