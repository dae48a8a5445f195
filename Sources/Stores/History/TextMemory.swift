import OpenSwiftData

/// The text that a record had in a file before a save changed or deleted it.
struct FormerText: Hashable, Sendable {
  let record: PersistentIdentifier
  /// The columns of separated values, or the names of the fields of JSON, in any order.
  let fields: [String]
  let bytes: [UInt8]
  /// The kinds of the values then, by the names of their fields, as far as they are known.
  var kinds: [String: ValueKind] = [:]

  /// About the memory that the text takes.
  var sizeBytes: Int { bytes.count + 16 }
}

/// The texts that saves have replaced in a file since another program changed it, for records and values that come back.
///
/// They contain what the values of a record do not: the spelling of its numbers, quotes, members without a field, and
/// how many values a line has. What a text says is found out by reading it when it is needed.
struct TextMemory: Sendable {
  /// The last texts up to this size are kept; a save keeps no more of its own.
  static let limitBytes = 64 << 20
  /// A save that changes more records keeps no texts of them.
  static let limitOfUpdates = 10_000

  fileprivate struct Generation: Sendable {
    /// The texts of each record, the newest one last.
    var texts: [PersistentIdentifier: [FormerText]] = [:]
    var sizeBytes = 0
  }

  /// The former headers of separated values, by their columns.
  var headers: [[String]: [UInt8]] = [:]
  private var recent = Generation()
  /// What was recent before; given up for newer texts.
  private var earlier = Generation()

  /// True if no text is kept.
  var isEmpty: Bool { recent.texts.isEmpty && earlier.texts.isEmpty }

  /// Keeps texts that are newer than all others.
  mutating func keep(_ new: [FormerText]) {
    guard !new.isEmpty else { return }
    let added = new.reduce(0) { $0 + $1.sizeBytes }
    if recent.sizeBytes + added > Self.limitBytes { (earlier, recent) = (recent, Generation()) }
    for text in new { recent.add(text) }
  }

  /// Keeps texts that are older than all others, in their order.
  mutating func keep(earlier older: [[FormerText]]) {
    var all = TextMemory()
    for texts in older { all.keep(texts) }
    for generation in [earlier, recent] { all.keep(generation.texts.values.flatMap(\.self)) }
    all.headers = headers
    self = all
  }

  /// The texts of a record, the newest one first.
  func texts(of record: PersistentIdentifier) -> [FormerText] {
    ((earlier.texts[record] ?? []) + (recent.texts[record] ?? [])).reversed()
  }
}

extension TextMemory.Generation {
  /// Adds a text; one that was added before becomes the newest one.
  fileprivate mutating func add(_ text: FormerText) {
    if let place = texts[text.record]?.lastIndex(of: text) {
      texts[text.record]?.remove(at: place)
    } else {
      sizeBytes += text.sizeBytes
    }
    texts[text.record, default: []].append(text)
  }
}
