import CRuntime

/// A reference that does not keep its object alive, as a weak one, without the side table that a weak
/// one adds to the object.
///
/// With a side table every retain and release of the object takes several times as long, and models are
/// retained wherever they go. `docs/decisions/0011-references-without-side-tables.md` has the figures.
///
/// The memory of an object that is gone, though nothing that it held, stays until the last loose
/// reference to it goes. Reading is safe while another thread lets go of the object.
struct LooseReference<Object: AnyObject>: ~Copyable {
  private let pointer: UnsafeMutableRawPointer

  init(_ object: Object) {
    pointer = Unmanaged.passUnretained(object).toOpaque()
    swift_unownedRetain(pointer)
  }

  /// The object, if it is still there.
  var object: Object? {
    guard swift_tryRetain(pointer) != nil else { return nil }
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  /// True when this refers to the object.
  func refers(to object: Object) -> Bool {
    pointer == Unmanaged.passUnretained(object).toOpaque()
  }

  deinit { swift_unownedRelease(pointer) }
}
