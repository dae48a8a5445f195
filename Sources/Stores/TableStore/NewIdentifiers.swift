import Foundation
import OpenSwiftData

extension UUID {
  /// A UUID of version 4 from two random numbers (RFC 9562 §5.4).
  init(randomHigh high: UInt64, low: UInt64) {
    self.init(high: high & ~0xF000 | 0x4000, low: low & ~(3 << 62) | 2 << 62)
  }
}

extension RecordKeyGenerator {
  /// Makes keys from a clock in milliseconds since 1970; all moments before 2020 count as the same.
  init(
    millisecondsSince1970: @escaping @Sendable () -> Int64,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.init(
      milliseconds: { UInt64(max(0, millisecondsSince1970() - Self.epoch)) },
      random: random
    )
  }

  /// Makes keys from a clock that returns dates.
  init(now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> UInt64) {
    self.init(
      millisecondsSince1970: { Int64(now().timeIntervalSince1970 * 1000) },
      random: random
    )
  }
}

extension DataStoreConfiguration {
  /// The configuration with the final schema of the migration plan.
  ///
  /// - Throws: `PersistenceError` when the plan does not lead to the schema.
  func completed(by plan: (any SchemaMigrationPlan.Type)?) throws -> Self {
    var configuration = self
    configuration.schema = try schema.map { try SchemaMigration.schema(for: $0, plan: plan) }
    return configuration
  }
}
