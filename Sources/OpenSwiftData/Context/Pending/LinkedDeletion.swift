/// The effects of a deletion on records that refer to the deleted ones.
public struct LinkedDeletion: Hashable, Sendable {
  /// The number of records that were deleted because they referred to others (`cascade`).
  public var cascadedCount = 0
  /// The number of links that were cleared in the remaining records.
  public var clearedCount = 0
}
