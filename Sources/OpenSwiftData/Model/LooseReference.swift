import CRuntime

/// A reference that does not keep its object alive, without the side table of a weak reference.
///
/// With a side table, every retain and release of the object takes several times as long, and models are
/// retained often. `docs/decisions/0011-references-without-side-tables.md` has the figures.
///
/// The memory of a deallocated object, but nothing that it referenced, stays allocated until its last loose
/// reference is destroyed. Reading is safe while another thread releases the object.
struct LooseReference<Object: AnyObject>: ~Copyable {
  private let pointer: UnsafeMutableRawPointer

  init(_ object: Object) {
    pointer = Unmanaged.passUnretained(object).toOpaque()
    swift_unownedRetain(pointer)
  }

  /// The object, if it still exists.
  var object: Object? {
    guard swift_tryRetain(pointer) != nil else { return nil }
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  deinit { swift_unownedRelease(pointer) }
}
