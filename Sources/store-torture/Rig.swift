import StoreTorture

/// Something that is done to whole processes by real facilities of the system.
struct Rig: Sendable {
  enum Outcome {
    /// Why it cannot be done here; said aloud.
    case skipped(String)
    case figures(TortureFigures)
  }

  let name: String
  /// What is counted.
  let unit: String
  let run: @Sendable (_ work: RigWork, _ isOver: () -> Bool) throws -> Outcome

  static let all: [Rig] = [
    .failingCalls, .killedCalls, .smallDisk, .fewNodes, .fileSize, .fewDescriptors,
  ]
}
