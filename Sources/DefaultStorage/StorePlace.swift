import Foundation
import Stores

/// The default location of a program's stores by the XDG base directory specification.
///
/// It is `$XDG_DATA_HOME/<name of the process>/<name>.store`, or for an app group
/// `$XDG_DATA_HOME/<name of the group>/<name>.store`.
struct StorePlace: Sendable {
  /// The environment of the process.
  let environment: [String: String]
  /// The name of the process.
  let processName: String
  /// The home folder of the user, used if the environment does not name it.
  let home: String

  /// The default location for this process.
  static var current: StorePlace {
    StorePlace(
      environment: ProcessInfo.processInfo.environment,
      processName: ProcessInfo.processInfo.processName,
      home: NSHomeDirectory()
    )
  }

  /// The folder for data of programs: `$XDG_DATA_HOME`, by default `~/.local/share`.
  ///
  /// A value that is not an absolute path is ignored (XDG base directory specification, "Basics").
  var dataFolder: String {
    absolute("XDG_DATA_HOME") ?? joinPath(homeFolder, ".local/share")
  }

  /// The folder of the user's documents: `$XDG_DOCUMENTS_DIR`, by default `~/Documents`.
  var documentsFolder: String {
    absolute("XDG_DOCUMENTS_DIR") ?? joinPath(homeFolder, "Documents")
  }

  /// The file of a store without an explicit location.
  func path(name: String, group: String?) -> String {
    joinPath(joinPath(dataFolder, group ?? processName), name + ".store")
  }

  private var homeFolder: String { absolute("HOME") ?? home }

  private func absolute(_ variable: String) -> String? {
    guard let path = environment[variable], path.hasPrefix("/") else { return nil }
    return path
  }
}
