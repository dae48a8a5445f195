import Foundation

/// The number of operations of a random test, unless the environment sets another.
func testRounds(_ count: Int) -> Int {
  ProcessInfo.processInfo.environment["CATALOG_TEST_ROUNDS"].flatMap { Int($0) } ?? count
}

/// The share of many queries that a suite tries; all of them if the environment requests it.
func testStride(_ stride: Int) -> Int {
  ProcessInfo.processInfo.environment["CATALOG_TEST_ROUNDS"] == nil ? stride : 1
}
