import Foundation
import Testing

@testable import OpenSwiftData

/// Work that asks whether to stop ends before the memory is used up.
@Suite struct MemoryWatchTests {
  private struct Shortage: Error {}

  /// In a process of its own, because the watch concerns all work of a process.
  @Test func longWorkEndsAndShortWorkDoesNot() async {
    await #expect(processExitsWith: .exitCode(7)) {
      MemoryWatch.begin { throw Shortage() }
      let end = ContinuousClock.now + .seconds(20)
      do {
        try Interruption.allowed(by: { false }) {
          // Short work is not ended.
          do { try Interruption.check() } catch { exit(1) }
          Interruption.ignored {
            while ContinuousClock.now < end - .seconds(19) {
              do { try Interruption.check() } catch { exit(2) }
            }
          }
          while ContinuousClock.now < end { try Interruption.check() }
        }
      } catch {
        exit(error is Shortage ? 7 : 3)
      }
      exit(4)
    }
  }

  /// Pieces of work that run together are short even if all of them take long.
  @Test func piecesOfWorkAreNotEndedForTheirSum() async {
    await #expect(processExitsWith: .exitCode(7)) {
      MemoryWatch.begin { throw Shortage() }
      let end = ContinuousClock.now + .seconds(20)
      do {
        try Interruption.allowed(by: { false }) {
          while ContinuousClock.now < end - .seconds(19) {
            Interruption.beginPiece()
            do { try Interruption.check() } catch { exit(1) }
          }
          while ContinuousClock.now < end { try Interruption.check() }
        }
      } catch {
        exit(error is Shortage ? 7 : 3)
      }
      exit(4)
    }
  }
}
