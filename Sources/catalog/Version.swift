/// The version of the program and the library.
enum Version {
  /// As the changelog names it.
  static let current = "0.1.0"
}
