import Testing

@testable import Stores

@Suite struct ExpectedElementsTests {
  @Test(arguments: [0, 1, 4095, 700_001])
  func largeReservationKeepsTheElements(count: Int) {
    var numbers = (0..<count).map { UInt64($0) * 3 }
    numbers.reserveCapacity(4_000_000, expecting: 3_000_000)
    #expect(numbers.capacity >= 4_000_000)
    #expect(numbers.count == count)
    for number in count..<1_000_000 { numbers.append(UInt64(number) * 3) }
    #expect(numbers.indices.allSatisfy { numbers[$0] == UInt64($0) * 3 })
  }

  @Test func expectationBelowOrBeyondTheCapacityIsHarmless() {
    var bytes = [UInt8](repeating: 7, count: 5_000_000)
    bytes.reserveCapacity(6_000_000, expecting: 1_000_000)
    bytes.reserveCapacity(6_000_000, expecting: 1 << 40)
    #expect(bytes == [UInt8](repeating: 7, count: 5_000_000))
  }
}
