import StoreTorture
import Synchronization

/// Figures that several threads add to.
final class FigureSum: Sendable {
  private let sum = Mutex(TortureFigures())

  var figures: TortureFigures { sum.withLock { $0 } }

  func add(_ figures: TortureFigures) { sum.withLock { $0.add(figures) } }
}
