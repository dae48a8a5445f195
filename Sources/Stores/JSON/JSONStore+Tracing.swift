package import OpenSwiftData

extension JSONStore {
  /// Compares the content of the file with that of the save, and with what is known of earlier contents.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? {
    guard let content = trace.content else { return nil }
    return withSession { session in
      // Without a file nothing is saved in it.
      guard let version = session.version else { return false }
      session.attachHistory()
      let now = version.digest?.text
      if now == content.after { return true }
      if now != nil, now == content.before { return false }
      // Another program has saved since.
      return session.past?.frames?.leads(from: content) == true ? true : nil
    }
  }
}

extension [HistoryFrame] {
  /// True if the content of a save occurs after the newest place of the content before it.
  ///
  /// The same content may have been saved earlier, too.
  fileprivate func leads(from content: SaveTrace.Content) -> Bool {
    let start = lastIndex { $0.after?.text == content.before }.map { $0 + 1 } ?? 0
    return self[start...].contains { frame in
      frame.after?.text == content.after || frame.before?.text == content.after
    }
  }
}
