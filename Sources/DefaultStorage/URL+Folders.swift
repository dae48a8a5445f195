#if os(Linux)
  public import Foundation

  extension URL {
    /// The folder for data of programs: `$XDG_DATA_HOME`, by default `~/.local/share`.
    public static var applicationSupportDirectory: URL {
      URL(fileURLWithPath: StorePlace.current.dataFolder, isDirectory: true)
    }

    /// The folder of the user's documents: `$XDG_DOCUMENTS_DIR`, by default `~/Documents`.
    public static var documentsDirectory: URL {
      URL(fileURLWithPath: StorePlace.current.documentsFolder, isDirectory: true)
    }
  }
#endif
