/// A size with a suitable unit: `812 bytes`, `12.4 MB`.
package func sizeText(_ bytes: Int) -> String {
  guard bytes >= 1000 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
  var tenths = (bytes + 50) / 100
  var unit = 0
  while tenths >= 10_000, unit < 3 {
    tenths = (tenths + 500) / 1000
    unit += 1
  }
  return "\(tenths / 10).\(tenths % 10) \(["kB", "MB", "GB", "TB"][unit])"
}
