import Foundation

/// How many operations a random test tries, unless the environment asks for more.
func testRounds(_ count: Int) -> Int {
  ProcessInfo.processInfo.environment["CATALOG_TEST_ROUNDS"].flatMap { Int($0) } ?? count
}

/// Which part of many queries a suite tries: all of them where the environment asks for more.
func testStride(_ stride: Int) -> Int {
  ProcessInfo.processInfo.environment["CATALOG_TEST_ROUNDS"] == nil ? stride : 1
}
