package import OpenSwiftData

extension JSONStore: SaveTracingStore {
  /// Compares the content of the file with that of the save, and with what is known of earlier contents.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? {
    guard let content = trace.content else { return nil }
    return withSession { session in
      // Without a file nothing is saved in it.
      guard let version = session.version else { return false }
      session.attachHistory()
      let now = version.digest?.text
      let isKnown = session.past?.frames?.contains { frame in
        frame.after?.text == content.after || frame.before?.text == content.after
      }
      if now == content.after || isKnown == true { return true }
      return now == content.before && now != nil ? false : nil
    }
  }
}
