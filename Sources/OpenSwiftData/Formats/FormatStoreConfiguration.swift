/// Opens a ``FormatStore``.
///
/// ```swift
/// let configuration = FormatStoreConfiguration(JSONFormat(file: StoreFile(url)), name: "trips")
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// ```
public struct FormatStoreConfiguration<Format: StoreFormat>: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  public typealias Store = FormatStore<Format>

  /// The name of the store, which becomes its identifier.
  public let name: String
  /// The entities of the store.
  public var schema: Schema?
  /// The format in which the records are stored.
  public let format: Format
  /// The history to keep while the store is open.
  public var historyLimit: HistoryLimit

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - format: The format, with the location.
  ///   - name: The name of the store; by default the one that the format suggests, or else `store`.
  ///   - schema: The entities; if nil, the container sets its own.
  ///   - historyLimit: The history to keep while the store is open.
  public init(
    _ format: Format,
    name: String? = nil,
    schema: Schema? = nil,
    historyLimit: HistoryLimit = HistoryLimit()
  ) {
    self.name = name ?? format.storeIdentifier ?? "store"
    self.schema = schema
    self.format = format
    self.historyLimit = historyLimit
  }
}
