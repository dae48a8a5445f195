/// Why a file is not, or is no longer, a readable log.
enum LogDamage: Error, Hashable {
  case empty
  case notALog
  /// The magic bytes show that the file was copied as text.
  case copiedAsText
  case damagedHeader
  case unknownVersion(UInt16)
  case unknownFeatures(UInt32)
  case unknownHeader(sizeBytes: UInt32)
  /// A frame that does not verify although intact ones follow, or that is in the wrong place.
  case damagedMiddle(offset: Int, afterSequence: UInt64, laterOffset: Int?)
  /// A frame that verifies but has invalid content.
  case nonsense(offset: Int, sequence: UInt64, reason: String)
  case unknownFrame(offset: Int, kind: UInt8)
  /// A frame that verifies but has a kind or content that this version does not recognize.
  case unknownContent(offset: Int, reason: String)
  /// The file is shorter than the part already read.
  case shortened(to: Int, from: Int)
  /// The name refers to another log now.
  case exchanged
}

extension LogDamage {
  /// True for what a newer version of this library has written.
  var needsNewerVersion: Bool {
    switch self {
    case .unknownVersion, .unknownFeatures, .unknownHeader, .unknownFrame, .unknownContent: true
    default: false
    }
  }
}

extension LogDamage: CustomStringConvertible {
  /// The problem, without the path.
  var description: String {
    switch self {
    case .empty: "empty file, not a log; to create one, use a name that does not exist"
    case .notALog: "not a catalog log"
    case .copiedAsText:
      "corrupted by a text-mode copy (line endings or high bits changed); copy it again in binary "
        + "mode"
    case .damagedHeader:
      "damaged in the first 64 bytes; file unchanged: restore a backup, "
        + "or run catalog salvage DAMAGED NEW"
    case .unknownVersion(let version):
      newer(
        "format version \(version) is not supported (this version reads \(LogFormat.majorVersion))"
      )
    case .unknownFeatures(let bits):
      newer("unsupported features 0x\(String(bits, radix: 16))")
    case .unknownHeader(let size): newer("unsupported header of \(size) bytes")
    case .damagedMiddle(let offset, let sequence, let later):
      "damaged at offset \(offset), after frame \(sequence)"
        + (later.map { "; intact data resumes at offset \($0)" } ?? "")
        + "; file unchanged: restore a backup, or run catalog salvage DAMAGED NEW"
    case .nonsense(let offset, let sequence, let reason):
      "invalid frame \(sequence) at offset \(offset): \(reason); file unchanged"
    case .unknownFrame(let offset, let kind):
      newer("unknown frame kind \(kind) at offset \(offset)")
    case .unknownContent(let offset, let reason):
      newer("\(reason) at offset \(offset)")
    case .shortened(let to, let from):
      "truncated from \(from) to \(to) bytes by another program; save a copy elsewhere"
    case .exchanged: "replaced by a different store; save a copy elsewhere"
    }
  }

  private func newer(_ why: String) -> String {
    "\(why); use a newer version"
  }
}
