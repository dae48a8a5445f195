import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftParser
import SwiftSyntax
@testable import SwiftDataMacros
import Testing
@Suite struct X { @Test func a() { print(MacroProvider.macros.count) } }
