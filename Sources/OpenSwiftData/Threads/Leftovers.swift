import Foundation

/// What is left of work that was stopped.
package enum Leftovers {
  private final class Box<Content> {
    var content: Content?
    init(_ content: Content) { self.content = content }
  }

  /// Fewer bytes of stack are needed than for a thread that runs programs.
  private static let stackBytes = 512 << 10

  /// Does work on a value that is released on another thread if the work fails, as it does when it is stopped.
  ///
  /// - Throws: What the work throws.
  package static func released<Content, Result>(
    _ content: consuming Content,
    unless work: (inout Content) throws -> Result
  ) throws -> Result {
    do { return try work(&content) } catch {
      release(content)
      throw error
    }
  }

  /// Releases a value on another thread: a million records take longer than a user wants to wait.
  ///
  /// The objects that only the value refers to must not depend on the thread that releases them.
  package static func release<Content>(_ content: consuming Content) {
    // Only the other thread uses the box after it was created here, and it only releases the content.
    nonisolated(unsafe) let box = Box(content)
    let thread = Thread { box.content = nil }
    thread.stackSize = stackBytes
    thread.start()
  }
}
