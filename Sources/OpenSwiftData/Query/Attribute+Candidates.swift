extension Schema.Attribute {
  /// Selects the records whose value the store takes for this one, and perhaps others.
  package func candidates(for value: Value) -> Filter {
    guard case .text(let text) = compared(value), !comparesExactly else {
      return .compare(name, .equal, value)
    }
    return .text(
      name,
      ignoresCase
        ? TextMatch(.equals, text, options: .asciiCaseInsensitive) : TextMatch(.beginsWith, text)
    )
  }
}
