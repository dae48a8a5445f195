import CatalogApp
import OpenSwiftData

/// Reads bytes as a script and runs it on a memory store.
///
/// The lines must not depend on how the bytes are split; a word stays the same when it is quoted
/// and split again; the store is consistent afterwards, and every error has one line.
enum ScriptFuzzing {
  static func run(_ bytes: [UInt8], isFlawed: Bool) throws {
    let whole = lines(bytes, pieceBytes: max(1, bytes.count))
    let pieces = lines(bytes, pieceBytes: 3)
    try FuzzViolation.unless(whole.lines == pieces.lines, "pieces make other lines")
    try FuzzViolation.unless(whole.failure == pieces.failure, "pieces fail otherwise")
    for line in whole.lines { try checkWords(line.text) }
    try perform(bytes, isFlawed: isFlawed)
  }

  private static func lines(_ bytes: [UInt8], pieceBytes: Int) -> (
    lines: [ScriptLines.Line], failure: ScriptLines.Failure?
  ) {
    var cutter = ScriptLines(limitBytes: 1000)
    var found: [ScriptLines.Line] = []
    do throws(ScriptLines.Failure) {
      for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
        cutter.append(Array(bytes[start..<min(bytes.count, start + pieceBytes)]))
        while let line = try cutter.next() { found.append(line) }
      }
      if let line = try cutter.finish() { found.append(line) }
    } catch {
      return (found, error)
    }
    return (found, nil)
  }

  private static func checkWords(_ text: String) throws {
    guard let line = try? CommandText(text) else { return }
    let quoted = line.words.map { CommandText.quoted($0.text) }.joined(separator: " ")
    guard let again = try? CommandText(quoted) else {
      throw FuzzViolation("\(quoted) cannot be split again")
    }
    try FuzzViolation.unless(
      again.words.map(\.text).elementsEqual(line.words.map(\.text)) {
        $0.utf8.elementsEqual($1.utf8)
      },
      "\(quoted) is split into other words"
    )
  }

  private static func perform(_ bytes: [UInt8], isFlawed: Bool) throws {
    let session = try FuzzStore.session()
    let formats = OutputFormat.allCases
    session.settings.format = isFlawed ? .tsv : formats[bytes.count % formats.count]
    var complaints: [String] = []
    var output = ""
    let runner = ScriptRunner(
      session: session,
      // The flaw: values are printed as for a file.
      printer: { ResultPrinter($0, isTerminal: !isFlawed) { output += $0 } },
      complain: { complaints.append($0) },
      keepsGoing: true,
      echoesNotes: true
    )
    var rest: [UInt8]? = bytes
    try runner.run {
      defer { rest = nil }
      return rest ?? []
    }
    for line in complaints {
      try FuzzViolation.unless(!line.isEmpty && !line.contains("\n"), "no single line: \(line)")
    }
    // Lines end in CR LF and columns in tabs where the format requires it.
    let text = output.replacing("\r\n", with: "").replacing("\n", with: "")
      .replacing("\t", with: "")
    if let found = SafeOutput.firstForbidden(in: text) {
      throw FuzzViolation("the terminal is sent \(found)")
    }
    try checkStore(session)
  }

  /// The records can be read, saved or rolled back, and read again.
  private static func checkStore(_ session: Session) throws {
    let context = session.context
    if (try? context.save()) == nil { context.rollback() }
    try FuzzViolation.unless(!context.hasChanges, "neither saved nor given up")
    for store in context.container.stores {
      guard let store = store as? any MaintainableStore else { continue }
      let problems = try store.check()
      try FuzzViolation.unless(problems.isEmpty, "the store is not in order: \(problems)")
      for entity in store.schema.entities {
        _ = try store.snapshots(matching: Query(entity.name))
      }
    }
  }
}
