/// Why a file is not, or not any more, a log that can be read.
enum LogDamage: Error, Hashable {
  case empty
  case notALog
  /// The magic bytes show a file that was copied as text.
  case copiedAsText
  case damagedHeader
  case unknownVersion(UInt16)
  case unknownFeatures(UInt32)
  case unknownHeader(sizeBytes: UInt32)
  /// A frame that does not verify although sound ones follow, or that stands in the wrong place.
  case damagedMiddle(offset: Int, afterSequence: UInt64, laterOffset: Int?)
  /// A frame that verifies but makes no sense.
  case nonsense(offset: Int, sequence: UInt64, reason: String)
  case unknownFrame(offset: Int, kind: UInt8)
  /// A frame that verifies and says something that this program does not know.
  case unknownContent(offset: Int, reason: String)
  /// The file is shorter than what was read from it before.
  case shortened(to: Int, from: Int)
  /// Another log has the name now.
  case exchanged
}

extension LogDamage: CustomStringConvertible {
  /// What is wrong, without the path.
  var description: String {
    switch self {
    case .empty: "is empty, not a store"
    case .notALog: "is not a catalog log"
    case .copiedAsText:
      "was damaged by a copy in text mode: line ends or upper bits were changed; copy it again"
    case .damagedHeader:
      "is damaged in its first 64 bytes; it is left untouched: restore a copy, "
        + "or save what can be read with catalog salvage DAMAGED NEW"
    case .unknownVersion(let version):
      newer("it has format version \(version), this one knows \(LogFormat.majorVersion)")
    case .unknownFeatures(let bits):
      newer("it uses features that this one does not know (0x\(String(bits, radix: 16)))")
    case .unknownHeader(let size): newer("its header has \(size) bytes")
    case .damagedMiddle(let offset, let sequence, let later):
      "is damaged at byte \(offset), after frame \(sequence)"
        + (later.map { "; sound data follows at byte \($0)" } ?? "")
        + "; it is left untouched: restore a copy, or save what can be read with catalog salvage DAMAGED NEW"
    case .nonsense(let offset, let sequence, let reason):
      "holds nonsense in frame \(sequence) at byte \(offset): \(reason); it is left untouched"
    case .unknownFrame(let offset, let kind):
      newer("it has a frame of unknown kind \(kind) at byte \(offset)")
    case .unknownContent(let offset, let reason):
      newer("\(reason) (byte \(offset))")
    case .shortened(let to, let from):
      "was shortened from \(from) to \(to) bytes by another program; open it again"
    case .exchanged: "was exchanged for another store; open it again"
    }
  }

  private func newer(_ why: String) -> String {
    "was written by a newer version of this program: \(why); use that version"
  }
}
