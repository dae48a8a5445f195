import CSQLite
import SQL

/// The functions that the triggers of GeoPackages call, by the names of the standard (GeoPackage 1.3, annex F.3).
extension SQLiteFunctions {
  private static let names = ["ST_IsEmpty", "ST_MinX", "ST_MaxX", "ST_MinY", "ST_MaxY"]

  func registerGeometry(with handle: OpaquePointer) {
    for (place, name) in Self.names.enumerated() {
      sqlite3_create_function_v2(
        handle,
        name,
        1,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        UnsafeMutableRawPointer(bitPattern: place + 1),
        { context, _, values in
          let place = Int(bitPattern: sqlite3_user_data(context)) - 1
          guard let cell = values?[0], case .bytes(let bytes) = SQLValue(cell),
            let geometry = GeoPackageGeometry(bytes)
          else { return sqlite3_result_null(context) }
          if place == 0 { return sqlite3_result_int(context, geometry.bounds == nil ? 1 : 0) }
          guard let bounds = geometry.bounds else { return sqlite3_result_null(context) }
          let numbers = [bounds.minX, bounds.maxX, bounds.minY, bounds.maxY]
          sqlite3_result_double(context, numbers[place - 1])
        },
        nil,
        nil,
        nil
      )
    }
  }
}
