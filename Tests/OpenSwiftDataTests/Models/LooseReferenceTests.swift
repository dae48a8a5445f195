import Foundation
import Synchronization
import Testing

@testable import OpenSwiftData

struct LooseReferenceTests {
  private final class Ended: Sendable {
    let count = Atomic<Int>(0)
  }

  private final class Thing: Sendable {
    let ended: Ended
    let number: Int

    init(_ number: Int, _ ended: Ended) {
      self.number = number
      self.ended = ended
    }

    deinit { ended.count.add(1, ordering: .relaxed) }
  }

  private final class Holder {
    let loose: LooseReference<Thing>
    init(_ thing: Thing) { loose = LooseReference(thing) }
  }

  @Test func anObjectIsFoundWhileSomebodyHoldsIt() {
    let ended = Ended()
    var thing: Thing? = Thing(7, ended)
    let holder = thing.map { Holder($0) }
    #expect(holder?.loose.object?.number == 7)
    #expect(holder?.loose.object === thing)
    thing = nil
    #expect(holder?.loose.object == nil)
    #expect(ended.count.load(ordering: .relaxed) == 1)
  }

  @Test func theObjectMayOutliveTheReference() {
    let ended = Ended()
    let thing = Thing(1, ended)
    do {
      let holder = Holder(thing)
      #expect(holder.loose.object === thing)
    }
    #expect(thing.number == 1 && ended.count.load(ordering: .relaxed) == 0)
  }

  /// References of many threads, read while the last owner releases the object.
  private final class Shared: @unchecked Sendable {
    let references: [Holder]
    var things: [Thing?]

    init(_ things: [Thing]) {
      references = things.map { Holder($0) }
      self.things = things
    }
  }

  @Test func lettingGoOnAnotherThreadIsSafe() {
    let ended = Ended()
    for _ in 0..<20 {
      let shared = Shared((0..<500).map { Thing($0, ended) })
      let wrong = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: 3) { worker in
        for number in 0..<500 {
          if worker == 0 {
            shared.things[number] = nil
          } else if let thing = shared.references[number].loose.object, thing.number != number {
            wrong.add(1, ordering: .relaxed)
          }
        }
      }
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(shared.references.allSatisfy { $0.loose.object == nil })
    }
    #expect(ended.count.load(ordering: .relaxed) == 20 * 500)
  }
}
