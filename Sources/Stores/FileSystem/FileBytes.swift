import CSystem

/// Bytes read from a file, in memory that it owns.
package struct FileBytes: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of bytes that are content; the rest of the memory is zero.
  package private(set) var count: Int

  /// Allocates memory whose content is undefined until it is filled.
  init(capacity: Int) {
    guard let start = catalog_allocate(capacity) else {
      preconditionFailure("Out of memory for \(capacity) bytes.")
    }
    memory = UnsafeMutableRawBufferPointer(start: start, count: capacity)
    count = 0
  }

  deinit {
    // Memory from the C allocator; Swift's `deallocate` passes it to `free` on every platform.
    memory.deallocate()
  }

  /// The content; valid for the lifetime of this value.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// A copy of the content with independent memory.
  ///
  /// - Complexity: O(n).
  package borrowing func copy() -> [UInt8] { Array(bytes) }

  /// The whole buffer, including unused space.
  var room: UnsafeMutableRawBufferPointer { memory }

  /// Declares the first bytes to be the content and clears the rest.
  mutating func setCount(_ newCount: Int) {
    precondition(newCount <= memory.count, "More bytes than there is room for.")
    count = newCount
    UnsafeMutableRawBufferPointer(rebasing: memory[newCount...]).initializeMemory(
      as: UInt8.self,
      repeating: 0
    )
  }
}
