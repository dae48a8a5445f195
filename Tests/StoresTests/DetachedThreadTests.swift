import Dispatch
import Synchronization
import Testing

@testable import Stores

/// Work in parallel with other calls.
@Suite struct DetachedThreadTests {
  @Test func everythingIsDoneOnceAndNothingWaitsForOtherWork() {
    let done = Mutex<[Int]>([])
    let all = DispatchGroup()
    let gate = DispatchSemaphore(value: 0)
    // Five jobs that wait for each other: none of them is queued after another.
    for _ in 0..<4 {
      all.enter()
      DetachedThread.run {
        gate.wait()
        all.leave()
      }
    }
    all.enter()
    DetachedThread.run {
      for _ in 0..<4 { gate.signal() }
      all.leave()
    }
    #expect(all.wait(timeout: .now() + 30) == .success)
    for number in 0..<2000 {
      all.enter()
      DetachedThread.run {
        done.withLock { $0.append(number) }
        all.leave()
      }
    }
    #expect(all.wait(timeout: .now() + 60) == .success)
    #expect(done.withLock { $0.sorted() } == Array(0..<2000))
  }
}
