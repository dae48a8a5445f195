import Glibc
import Testing

@testable import Stores

/// Times that nanoseconds since 1970 in 64 bits cannot count.
@Suite struct FarFutureTests {
  @Test(arguments: [
    (0, 1, 1), (1_000, 5, 1_000_000_000_005), (9_223_372_036, 854_775_807, Int64.max),
    (9_223_372_036, 854_775_808, .max), (9_300_000_000, 0, .max), (Int.max, 0, .max),
    (-9_300_000_000, 0, .min), (-1, 0, -1_000_000_000),
  ])
  func theyCountAsTheLastOnes(seconds: Int, rest: Int, nanoseconds: Int64) {
    #expect(timespec(tv_sec: seconds, tv_nsec: rest).nanoseconds == nanoseconds)
  }
}
