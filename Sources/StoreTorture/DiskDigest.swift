import Stores

/// A digest of everything on a disk that a store can see, except for the times.
///
/// Most crash states equal earlier ones and need not be opened again. Two different disks have the
/// same digest with a probability of 1 in 2^128, which is negligible.
struct DiskDigest: Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// - Complexity: O(bytes of the disk).
  init(_ disk: SimulatedDisk) {
    // A sum, so that the order of the names does not matter.
    for (path, node) in disk.names {
      guard let file = disk.nodes[node] else { continue }
      var part = Mixer()
      part.add(path)
      part.add(UInt64(file.permissions) << 8 | (file.kind == .directory ? 1 : 0))
      if disk.names.count > 4 { part.add(UInt64(disk.nameCount(of: node))) }
      part.add(file.bytes)
      low &+= part.low
      high &+= part.high
    }
  }

  /// Two different mixes of the same words.
  private struct Mixer {
    private(set) var low: UInt64 = 0x9E37_79B9_7F4A_7C15
    private(set) var high: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    mutating func add(_ word: UInt64) {
      low = (low ^ word) &* 0xFF51_AFD7_ED55_8CCD
      low ^= low >> 32
      high = (high &+ word) &* 0xC4CE_B9FE_1A85_EC53
      high ^= high >> 29
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ bytes: [UInt8]) {
      add(UInt64(bytes.count))
      bytes.withUnsafeBytes { raw in
        var offset = 0
        while offset + 8 <= raw.count {
          add(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
          offset += 8
        }
        for byte in raw[offset...] { add(UInt64(byte)) }
      }
    }
  }
}
