import SQL
import Testing

/// The geometries of GeoPackages.
@Suite struct GeoPackageGeometryTests {
  private func bytes(_ number: Double) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (UInt64($0) * 8)) }
  }

  private func header(_ flags: UInt8) -> [UInt8] { [0x47, 0x50, 0, flags, 0, 0, 0, 0] }

  @Test func boundsAreThoseOfAllPoints() throws {
    // A collection of a point with a height and a polygon.
    let point: [UInt8] = [1, 0xE9, 3, 0, 0] + [3.0, -4, 9].flatMap(bytes)
    let ring = [0.0, 0, 5, 0, 5, 7, 0, 0].flatMap(bytes)
    let polygon: [UInt8] = [1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0] + ring
    let all = header(1) + [1, 7, 0, 0, 0, 2, 0, 0, 0] + point + polygon
    let bounds = try #require(GeoPackageGeometry(all)?.bounds)
    #expect([bounds.minX, bounds.maxX, bounds.minY, bounds.maxY] == [0, 5, -4, 7])
    for count in 0..<all.count { #expect(GeoPackageGeometry(Array(all.prefix(count))) == nil) }
  }

  @Test func anEnvelopeIsBelieved() throws {
    let all = header(3) + [1.0, 2, 3, 4].flatMap(bytes)
    let bounds = try #require(GeoPackageGeometry(all)?.bounds)
    #expect([bounds.minX, bounds.maxX, bounds.minY, bounds.maxY] == [1, 2, 3, 4])
  }

  @Test func emptyGeometriesHaveNoBounds() throws {
    let point: [UInt8] = [1, 1, 0, 0, 0] + [Double.nan, .nan].flatMap(bytes)
    for flags in [1, 0x11] as [UInt8] {
      let empty = try #require(GeoPackageGeometry(header(flags) + point))
      #expect(empty.bounds == nil)
    }
    #expect(GeoPackageGeometry(header(1) + [1, 2, 0, 0, 0, 255, 255, 255, 255]) == nil)
    #expect(GeoPackageGeometry([]) == nil)
  }
}
