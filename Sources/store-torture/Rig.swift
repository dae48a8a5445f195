import StoreTorture

/// A test of whole processes with real facilities of the system.
struct Rig: Sendable {
  enum Outcome {
    /// Why the rig cannot run here; it is reported.
    case skipped(String)
    case figures(TortureFigures)
  }

  let name: String
  /// The unit of its counts.
  let unit: String
  let run: @Sendable (_ work: RigWork, _ isOver: () -> Bool) throws -> Outcome

  static let all: [Rig] = [
    .failingCalls, .killedCalls, .smallDisk, .fewNodes, .fileSize, .fewDescriptors,
  ]
}
