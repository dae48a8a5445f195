import Foundation

private let environment = ProcessInfo.processInfo.environment

/// The number of operations of a random test, unless the environment sets another.
///
/// A test that takes long has fewer in a run without a seed.
package func testRounds(_ count: Int, withoutSeed fewer: Int? = nil) -> Int {
  environment["CATALOG_TEST_ROUNDS"].flatMap { Int($0) }
    ?? (environment["SEED"] == nil ? fewer : nil) ?? count
}

/// The share of many queries that a suite tries; all of them if the environment requests it.
///
/// A suite that takes long tries fewer in a run without a seed.
package func testStride(_ stride: Int, withoutSeed longer: Int? = nil) -> Int {
  guard environment["CATALOG_TEST_ROUNDS"] == nil else { return 1 }
  return (environment["SEED"] == nil ? longer : nil) ?? stride
}
