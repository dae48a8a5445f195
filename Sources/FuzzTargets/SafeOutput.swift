/// Which text is safe for a terminal, specified independently of the drawing code.
package enum SafeOutput {
  /// The first scalar that must never be sent to a terminal unescaped; `nil` if there is none.
  package static func firstForbidden(in text: some StringProtocol) -> String? {
    for scalar in text.unicodeScalars where isForbidden(scalar) {
      return "U+" + String(scalar.value, radix: 16, uppercase: true)
    }
    return nil
  }

  /// True for controls, direction overrides, invisible characters, tags and noncharacters.
  package static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E: false
    case 0...0x1F, 0x7F...0x9F: true
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A: true
    case 0xE000...0xF8FF, 0xF0000...0x10FFFF, 0xE0000...0xE0FFF: true
    case 0xFDD0...0xFDEF: true
    default: scalar.value & 0xFFFE == 0xFFFE
    }
  }
}
