/// The version of the program and the library.
enum Version {
  /// The version that the changelog describes.
  static let current = "0.1.0"
}
