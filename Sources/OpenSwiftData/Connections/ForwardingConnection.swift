/// A connection that wraps another one and forwards all requests that it does not handle.
protocol ForwardingConnection: StoreConnection {
  /// The wrapped connection.
  var base: any StoreConnection { get set }
}

extension ForwardingConnection {
  var identifier: String { base.identifier }

  var state: EditingState {
    get { base.state }
    set { base.state = newValue }
  }

  var looksUpByScanning: Bool { base.looksUpByScanning }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try base.identifiers(matching: query)
  }

  func count(matching query: Query) throws -> Int { try base.count(matching: query) }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try base.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try base.transactions(after: token, touching: identifier)
  }

  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    try base.history(descriptor)
  }

  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    try base.deleteHistory(descriptor)
  }

  var canChangeSchema: Bool { base.canChangeSchema }

  func apply(_ change: SchemaChange, author: String?) throws {
    try base.apply(change, author: author)
  }
}
