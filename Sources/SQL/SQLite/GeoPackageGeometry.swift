/// A geometry as GeoPackages keep it: a header, perhaps with an envelope, then well-known binary.
///
/// See GeoPackage 1.3, clause 2.1.3. The triggers of a GeoPackage need its bounds for the index of a layer.
package struct GeoPackageGeometry: Sendable {
  /// The range of the coordinates.
  package struct Bounds: Hashable, Sendable {
    package private(set) var (minX, maxX) = (Double.infinity, -Double.infinity)
    package private(set) var (minY, maxY) = (Double.infinity, -Double.infinity)

    package init() {}

    /// Adds a point; the coordinates of an empty one are not numbers.
    package mutating func add(x: Double, y: Double) {
      if x.isNaN || y.isNaN { return }
      (minX, maxX) = (min(minX, x), max(maxX, x))
      (minY, maxY) = (min(minY, y), max(maxY, y))
    }
  }

  /// The bounds; nil for an empty geometry.
  package let bounds: Bounds?

  /// Reads a geometry; nil for bytes that are none.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8, bytes[0] == UInt8(ascii: "G"), bytes[1] == UInt8(ascii: "P") else {
      return nil
    }
    let flags = bytes[3]
    let envelopeCounts = [0, 4, 6, 6, 8]
    let kind = Int(flags >> 1 & 7)
    guard kind < envelopeCounts.count else { return nil }
    if flags & 0x10 != 0 {
      bounds = nil
      return
    }
    var reader = GeometryReader(bytes, from: 8)
    var found = Bounds()
    if kind > 0 {
      reader.isLittle = flags & 1 != 0
      guard let (minX, maxX) = reader.pair(), let (minY, maxY) = reader.pair() else { return nil }
      found.add(x: minX, y: minY)
      found.add(x: maxX, y: maxY)
    } else {
      guard reader.addGeometry(to: &found, depth: 0) else { return nil }
    }
    bounds = found.minX > found.maxX ? nil : found
  }
}

/// Reads well-known binary.
private struct GeometryReader {
  private let bytes: [UInt8]
  private var position: Int
  var isLittle = true

  /// Collections may contain collections; the depth is limited, because a damaged one could be endless.
  private static let depthLimit = 32

  init(_ bytes: [UInt8], from position: Int) { (self.bytes, self.position) = (bytes, position) }

  private mutating func number(_ size: Int) -> UInt64? {
    guard bytes.count - position >= size else { return nil }
    defer { position += size }
    let digits = bytes[position..<position + size]
    var number: UInt64 = 0
    for digit in isLittle ? Array(digits.reversed()) : Array(digits) {
      number = number << 8 | UInt64(digit)
    }
    return number
  }

  mutating func pair() -> (Double, Double)? {
    guard let x = number(8), let y = number(8) else { return nil }
    return (Double(bitPattern: x), Double(bitPattern: y))
  }

  /// Adds the points of a geometry; false for damaged bytes and unknown kinds.
  mutating func addGeometry(to bounds: inout GeoPackageGeometry.Bounds, depth: Int) -> Bool {
    guard depth < Self.depthLimit, let order = number(1), order < 2 else { return false }
    isLittle = order == 1
    guard let type = number(4), type / 1000 < 4 else { return false }
    // Beside x and y, there may be a height, a measure, or both.
    let extra = [0, 1, 1, 2][Int(type / 1000)]
    switch type % 1000 {
    case 1: return addPoints(1, extra, to: &bounds)
    case 2, 8: return addLine(extra, to: &bounds)
    case 3, 17: return repeated { $0.addLine(extra, to: &bounds) }
    case 4...7, 9...16: return repeated { $0.addGeometry(to: &bounds, depth: depth + 1) }
    default: return false
    }
  }

  private mutating func addLine(_ extra: Int, to bounds: inout GeoPackageGeometry.Bounds) -> Bool {
    guard let count = number(4) else { return false }
    return addPoints(count, extra, to: &bounds)
  }

  private mutating func repeated(_ body: (inout GeometryReader) -> Bool) -> Bool {
    guard let count = number(4) else { return false }
    for _ in 0..<count where !body(&self) { return false }
    return true
  }

  private mutating func addPoints(
    _ count: UInt64,
    _ extra: Int,
    to bounds: inout GeoPackageGeometry.Bounds
  ) -> Bool {
    for _ in 0..<count {
      guard let (x, y) = pair(), bytes.count - position >= extra * 8 else { return false }
      position += extra * 8
      bounds.add(x: x, y: y)
    }
    return true
  }
}
