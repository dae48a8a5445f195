import ModelExpansion
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

/// The compiler starts this program and asks for expansions through stdin and stdout until it closes them.
let connection = try StandardIOMessageConnection()
try CompilerPluginMessageListener(connection: connection, provider: MacroProvider()).main()
