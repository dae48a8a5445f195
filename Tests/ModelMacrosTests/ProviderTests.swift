import Testing

@testable import SwiftDataMacros

/// The plugin knows every macro that is declared.
struct ProviderTests {
  @Test func thereAreMacros() { #expect(!MacroProvider.macros.isEmpty) }
}
