import OpenSwiftData

/// What looks wrong in the values of one field.
struct DoubtfulColumn {
  /// A column with more different texts is not one of a few words.
  private static let mostSpellings = 100
  /// Among fewer records, a missing value is nothing special.
  private static let fewestRecords = 20
  /// The part of the records, as one of so many, that can lack a value that nearly all have.
  private static let rarity = 20

  private let name: String
  private let slot: Int
  private var recordCount = 0
  private var missingCount = 0
  /// How often each text occurs; nil if there are too many.
  private var spellings: [String: Int]? = [:]
  /// The records that links name, and later those of them that do not exist.
  private var targets: Set<PersistentIdentifier> = []
  /// The usual spelling for each other one, with the number of its records.
  private var usual: [String: (text: String, count: Int)] = [:]
  private var reportsMissing = false

  private var spaces: ProblemGroup
  private var invisible: ProblemGroup
  private var cases: ProblemGroup
  private var links: ProblemGroup
  private var missing: ProblemGroup

  init(_ name: String, _ slot: Int, of entityName: String) {
    (self.name, self.slot) = (name, slot)
    func group(_ words: String) -> ProblemGroup {
      ProblemGroup("\(entityName).\(name): \(words)", isRule: false)
    }
    spaces = group("white space at the ends")
    invisible = group("invisible characters")
    cases = group("unusual case")
    links = group("links to records that do not exist")
    missing = group("perhaps missing")
  }

  /// What was found.
  var groups: [ProblemGroup] { [spaces, invisible, cases, links, missing] }

  /// Looks at a record in the first reading.
  mutating func look(_ values: [Value], _ record: PersistentIdentifier) {
    let value = values[slot]
    recordCount += 1
    if value.isNull { missingCount += 1 }
    if value.isLink { targets.formUnion(value.linkedIdentifiers) }
    guard let text = value.characters else { return }
    if let words = StraySpace.words(for: text) { spaces.add(record, name, value, words) }
    if let sign = text.invisibleScalar {
      invisible.add(record, name, value, "invisible character \(sign.codePoint)")
    }
    guard spellings != nil else { return }
    spellings?[text, default: 0] += 1
    if spellings?.count ?? 0 > Self.mostSpellings { spellings = nil }
  }

  /// Decides what all records together tell.
  ///
  /// - Returns: True if the records must be read again.
  /// - Throws: The error of a store that cannot be read.
  mutating func conclude(_ context: ModelContext) throws -> Bool {
    targets.subtract(try context.existing(Array(targets)))
    reportsMissing =
      recordCount >= Self.fewestRecords && missingCount > 0
      && missingCount * Self.rarity <= recordCount
    findUsualSpellings()
    return !targets.isEmpty || reportsMissing || !usual.isEmpty
  }

  /// Finds the texts that another one equals but for the case of its letters, in a column of few words.
  private mutating func findUsualSpellings() {
    guard let spellings else { return }
    let words = Dictionary(grouping: spellings) {
      TextFolding.fold($0.key, .caseInsensitive)
    }
    guard 2 * words.count <= spellings.values.reduce(0, +) else { return }
    for alike in words.values where alike.count > 1 {
      let sorted = alike.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      for other in sorted.dropFirst() {
        usual[other.key] = (sorted[0].key, sorted[0].value)
      }
    }
  }

  /// Looks at a record in the second reading.
  mutating func lookAgain(_ values: [Value], _ record: PersistentIdentifier) {
    let value = values[slot]
    if value.isNull {
      guard reportsMissing else { return }
      let percent = 100 * (recordCount - missingCount) / recordCount
      return missing.add(
        record,
        name,
        value,
        "perhaps missing: \(percent)% of the records have a value"
      )
    }
    if let link = value.linkedIdentifiers.first(where: targets.contains) {
      links.add(record, name, value, "no record \(link)")
    }
    if !usual.isEmpty, let text = value.characters, let usual = usual[text] {
      let count = usual.count == 1 ? "once" : "\(usual.count) times"
      cases.add(record, name, value, "also spelled \(Value.quoted(usual.text)), \(count)")
    }
  }
}

/// White space at the ends of a text, which cannot be seen there.
enum StraySpace {
  /// Says where there is some; nil for most texts.
  static func words(for text: String) -> String? {
    let (isBefore, isAfter) = (leading(text) != nil, trailing(text) != nil)
    return switch (isBefore, isAfter) {
    case (true, true): "white space at both ends"
    case (true, false): "white space at the beginning"
    case (false, true): "white space at the end"
    case (false, false): nil
    }
  }

  /// The white space at the beginning; nil without any.
  private static func leading(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first.flatMap { $0.isSpace ? $0 : nil }
  }

  /// The white space at the end; nil without any.
  private static func trailing(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.last.flatMap { $0.isSpace ? $0 : nil }
  }
}

extension Unicode.Scalar {
  /// True for white space.
  var isSpace: Bool {
    value < 0x80 ? value == 0x20 || (9...13).contains(value) : properties.isWhitespace
  }
}

extension String {
  /// The first character that shows nothing and does not belong to the letters beside it; nil for most texts.
  fileprivate var invisibleScalar: Unicode.Scalar? {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return nil }
    var sanitizer = Sanitizer(self)
    _ = sanitizer.run(limit: .max - 1)
    return sanitizer.escaped.first { scalar in
      switch TextWidth.classify(scalar) {
      case .hidden, .joiner, .variationSelector: break
      default: return false
      }
      if [0x09, 0x0A, 0x0D].contains(scalar.value) { return false }
      switch scalar.properties.generalCategory {
      case .unassigned, .privateUse, .surrogate:
        return scalar.properties.isDefaultIgnorableCodePoint
      default: return true
      }
    }
  }
}
