import DataStoreTesting
import Stores

/// A possible state of the disk after a power failure.
package struct CrashState: Sendable {
  package let disk: SimulatedDisk
  /// The last save acknowledged before the failure; 0 if there is none.
  package let acknowledged: Int
  /// The last save that had begun.
  package let begun: Int
  /// The number of effects before the failure.
  package let prefix: Int
  /// The effects not yet durable that reached the disk.
  package let kept: [Int]
  /// What is left of one torn write; `nil` if all are complete.
  package let tear: String?
}

/// All disks that a recording allows a power failure to leave, up to stated bounds.
///
/// The content of a file is durable up to the last synchronization of that file, and the names of a
/// directory up to the last synchronization of that directory. Later effects may be present or
/// absent in any combination: a rename is present or absent; a write may be partial, with zeros,
/// garbage or the former bytes in place of the rest. Bytes that were not written do not change.
///
/// A state without only the newest effect was enumerated before that effect, and is not repeated.
package struct CrashStates {
  private let start: SimulatedDisk
  private let effects: [DiskEffect]
  /// The largest number of effects not yet durable for which all subsets are tried, not just a
  /// sample.
  private let subsetLimit: Int
  /// The number of random subsets, and of random offsets at which a write is torn.
  private let samples: Int
  /// One in this many subsets is chosen, and of each one in this many writes is torn.
  private let step: Int
  private var number: Int
  private var random: SeededGenerator

  /// Prepares the enumeration.
  ///
  /// - Parameters:
  ///   - effects: The recording.
  ///   - start: The disk when the recording began, all of it durable.
  ///   - seed: The seed of the random choices and the garbage.
  ///   - subsetLimit: The largest number of effects not yet durable for which all subsets are
  ///     tried.
  ///   - samples: The number of random subsets, and of random offsets in each write.
  ///   - step: 1 for all states; otherwise one in this many subsets is chosen, and of each one in this many
  ///     writes is torn.
  package init(
    of effects: [DiskEffect],
    from start: SimulatedDisk,
    seed: UInt64,
    subsetLimit: Int = 8,
    samples: Int = 8,
    step: Int = 1
  ) {
    self.start = start
    self.effects = effects
    self.subsetLimit = subsetLimit
    self.samples = samples
    self.step = step
    number = Int(seed % UInt64(step))
    random = SeededGenerator(seed: seed)
  }

  /// Passes every state to `body`, in the same order for the same seed, until it returns false.
  package mutating func forEach(_ body: (CrashState) throws -> Bool) rethrows {
    var durable = start
    var pending: [Int] = []
    var acknowledged = 0
    var begun = 0
    for (place, effect) in effects.enumerated() {
      var choices: [[Int]] = []
      switch effect {
      case .begun(let save): begun = save
      case .acknowledged(let save):
        acknowledged = save
        choices = subsets(of: pending)
      case .synchronize(let node):
        applyDurable(&pending, &durable) { effects[$0].contentNode == node }
      case .synchronizeDirectory(let path):
        applyDurable(&pending, &durable) { effects[$0].directory == path }
      default:
        if case .create(_, let node, let kind, let permissions) = effect {
          durable.register(node, kind, permissions)
        }
        choices = subsets(of: pending).map { $0 + [place] }
        pending.append(place)
      }
      let moment = Moment(durable, acknowledged: acknowledged, begun: begun, prefix: place + 1)
      for kept in choices where isNextChosen() {
        guard try states(moment, kept, body) else { return }
      }
    }
  }

  private mutating func isNextChosen() -> Bool {
    number = (number + 1) % step
    return number == 0
  }

  private struct Moment {
    let durable: SimulatedDisk
    let acknowledged: Int
    let begun: Int
    let prefix: Int

    init(_ durable: SimulatedDisk, acknowledged: Int, begun: Int, prefix: Int) {
      self.durable = durable
      self.acknowledged = acknowledged
      self.begun = begun
      self.prefix = prefix
    }
  }

  private func applyDurable(
    _ pending: inout [Int],
    _ durable: inout SimulatedDisk,
    _ isDurable: (Int) -> Bool
  ) {
    for place in pending where isDurable(place) { durable.apply(effects[place]) }
    pending.removeAll(where: isDurable)
  }

  /// All subsets if there are few effects; otherwise all prefixes, all but one, single ones, and a
  /// sample.
  private mutating func subsets(of places: [Int]) -> [[Int]] {
    if places.count <= subsetLimit {
      return (0..<(1 << places.count)).map { mask in
        places.indices.filter { mask & 1 << $0 != 0 }.map { places[$0] }
      }
    }
    var chosen: Set<[Int]> = []
    for count in 0...places.count {
      chosen.insert(Array(places[..<count]))
      if count < places.count {
        chosen.insert([places[count]])
        chosen.insert(places.filter { $0 != places[count] })
      }
    }
    for _ in 0..<samples { chosen.insert(places.filter { _ in random.chance(50) }) }
    return chosen.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The state with these effects complete, and the states with one of its writes torn.
  private mutating func states(
    _ moment: Moment,
    _ kept: [Int],
    _ body: (CrashState) throws -> Bool
  ) rethrows -> Bool {
    guard try body(state(moment, kept, torn: nil, with: nil)) else { return false }
    for place in kept {
      guard case .write(let node, let offset, let bytes) = effects[place], isNextChosen() else {
        continue
      }
      for torn in TornWrite.all(of: bytes, at: offset, samples: samples, &random) {
        let parts = torn.parts.map {
          DiskEffect.write(node: node, offset: $0.offset, bytes: $0.bytes)
        }
        let state = state(moment, kept, torn: place, with: (parts, torn.description))
        guard try body(state) else { return false }
      }
    }
    return true
  }

  private func state(
    _ moment: Moment,
    _ kept: [Int],
    torn: Int?,
    with parts: (effects: [DiskEffect], text: String)?
  ) -> CrashState {
    var disk = moment.durable
    for place in kept {
      if place == torn, let parts {
        for part in parts.effects { disk.apply(part) }
      } else {
        disk.apply(effects[place])
      }
    }
    return CrashState(
      disk: disk,
      acknowledged: moment.acknowledged,
      begun: moment.begun,
      prefix: moment.prefix,
      kept: kept,
      tear: parts?.text
    )
  }
}
