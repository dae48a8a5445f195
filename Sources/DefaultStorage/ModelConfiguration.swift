public import Foundation
public import OpenSwiftData

/// The configuration of the default store: its location, its content, whether it can be changed.
///
/// Without a location, the store is `$XDG_DATA_HOME/<name of the process>/<name>.store`
/// (`~/.local/share/…` if the variable is not set). Opening the store creates missing folders.
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Hashable, Sendable {
  /// The store that is opened.
  public typealias Store = DefaultStore

  /// Identifies the store within a container; also names its file, unless a URL is given.
  public let name: String
  /// The entities to store; if nil, the container supplies its own.
  public var schema: Schema?
  /// The file; `/dev/null` for a store in memory.
  public let url: URL
  /// False to refuse saving.
  public let allowsSave: Bool
  /// True if nothing is written to disk and the data lasts only as long as the container.
  public let isStoredInMemoryOnly: Bool
  /// The app group whose programs share the folder of the store.
  public let groupContainer: GroupContainer
  /// Accepted for source compatibility; `validate()` rejects anything but automatic and none.
  public let cloudKitDatabase: CloudKitDatabase
  /// The history that a store in memory keeps; a store in a file keeps all of it.
  public var historyLimit = HistoryLimit()
  private let fileName: String

  /// The default name of the store.
  static let defaultName = "default"

  /// Creates a configuration for the default store of the program.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration that stores these models.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for a store in the folder of the program, or in memory.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name,
      schema: schema,
      isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: allowsSave,
      groupContainer: groupContainer,
      cloudKitDatabase: cloudKitDatabase,
      place: .current
    )
  }

  /// Creates a configuration for a store at a given location.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.cloudKitDatabase = cloudKitDatabase
    isStoredInMemoryOnly = false
    groupContainer = .none
    fileName = url.lastPathComponent
  }

  init(
    _ name: String?,
    schema: Schema?,
    isStoredInMemoryOnly: Bool,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic,
    place: StorePlace
  ) {
    let path = place.path(name: name ?? Self.defaultName, group: groupContainer.identifier)
    fileName = (name ?? Self.defaultName) + ".store"
    self.name = name ?? Self.defaultName
    self.schema = schema
    self.allowsSave = allowsSave
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    url = URL(fileURLWithPath: isStoredInMemoryOnly ? "/dev/null" : path, isDirectory: false)
  }

  /// The file.
  public var id: URL { url }

  /// The app group; nil if the store belongs to this program alone.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }

  /// The requested private CloudKit database.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }
}

extension ModelConfiguration {
  /// A folder that several programs of the user share.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?
    private let isAutomatic: Bool

    /// The folder of this program.
    public static let automatic = GroupContainer(identifier: nil, isAutomatic: true)
    /// The folder of this program.
    public static let none = GroupContainer(identifier: nil, isAutomatic: false)

    /// The folder `$XDG_DATA_HOME/<name>`.
    public static func identifier(_ name: String) -> GroupContainer {
      GroupContainer(identifier: name, isAutomatic: false)
    }
  }

  /// A CloudKit database; none is available on this platform.
  public struct CloudKitDatabase: Hashable, Sendable {
    let identifier: String?
    private let isAutomatic: Bool

    /// The available database, which means none on this platform.
    public static let automatic = CloudKitDatabase(identifier: nil, isAutomatic: true)
    /// None.
    public static let none = CloudKitDatabase(identifier: nil, isAutomatic: false)

    /// A private database; refused by `validate()`.
    public static func `private`(_ name: String) -> CloudKitDatabase {
      CloudKitDatabase(identifier: name, isAutomatic: false)
    }
  }
}

extension ModelConfiguration {
  /// Checks the configuration without accessing the disk.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameTooLong` and
  ///   `.configurationFileNameContainsInvalidCharacters`; `PersistenceError` with code
  ///   `.unsupported` for a CloudKit database, `.invalidConfiguration` for a URL that is not a file
  ///   URL.
  public func validate() throws {
    if let cloud = cloudKitDatabase.identifier {
      throw PersistenceError(
        .unsupported,
        "configuration \(Value.quoted(name)): CloudKit is not supported; remove cloudKitDatabase "
          + Value.quoted(cloud)
      )
    }
    if isStoredInMemoryOnly { return }
    guard url.isFileURL else {
      throw PersistenceError(
        .invalidConfiguration,
        "configuration \(Value.quoted(name)): not a file URL: \(url.absoluteString)"
      )
    }
    try Self.validate(fileName: fileName, of: name)
    if let group = groupContainer.identifier { try Self.validate(fileName: group, of: name) }
  }

  private static func validate(fileName: String, of name: String) throws {
    // 255 bytes: NAME_MAX.
    guard fileName.utf8.count <= 255 else {
      throw SwiftDataError.configurationFileNameTooLong.about(
        "configuration \(Value.quoted(name)): file name of \(fileName.utf8.count) bytes; "
          + "the limit is 255"
      )
    }
    guard !fileName.isEmpty, fileName != ".", fileName != "..",
      !fileName.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
    else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.about(
        "configuration \(Value.quoted(name)): invalid file name \(Value.quoted(fileName)); "
          + "remove slashes and zero bytes"
      )
    }
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name and the location.
  public var debugDescription: String {
    let place = isStoredInMemoryOnly ? "in memory" : url.path
    return "ModelConfiguration(\(name), \(place)\(allowsSave ? "" : ", read only"))"
  }
}
