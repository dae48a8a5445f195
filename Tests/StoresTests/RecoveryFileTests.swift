import Foundation
import Testing

@testable import Stores

/// The files that keep unsaved changes next to a store.
@Suite struct RecoveryFileTests {
  private let folder: TemporaryFolder
  private let fileSystem = FaultyFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func recoveryFolder(owner: UInt32? = nil) throws -> RecoveryFolder {
    try RecoveryFolder(
      fileSystem: fileSystem,
      storePath: folder.file("films.json"),
      owner: owner
    )
  }

  private static let name = ".films.json.catalog-recovery"

  @Test func linesComeBackAfterTheirWriterIsGone() throws {
    var writer: RecoveryFile? = try recoveryFolder().create()
    try writer?.append(["one", "two é\u{1F600}"])
    try writer?.append(["three"])
    try writer?.synchronize()
    #expect(try recoveryFolder().abandoned().isEmpty, "its writer lives")
    writer = nil
    let found = try recoveryFolder().abandoned()
    #expect(found.map(\.lines) == [["one", "two é\u{1F600}", "three"]])
    #expect(found.map(\.damagedBytes) == [0])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(Self.name))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// A process that is being started has copies of all descriptors for a moment.
  @Test func aFileIsUnlockedWhileAnotherProcessHasItOpen() throws {
    var writer: RecoveryFile? = try recoveryFolder().create()
    try writer?.append(["one"])
    let files = FileManager.default
    let open = try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
      .filter { descriptor in
        // Others are closed meanwhile.
        let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return path == folder.file(Self.name)
      }
    let copies = open.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(!copies.isEmpty)
    writer = nil
    #expect(try recoveryFolder().abandoned().map(\.lines) == [["one"]])
  }

  @Test func everyTruncationAndEveryFlippedBitLeavesABeginning() throws {
    let lines = ["{\"a\":1}", "", "third line", "é"]
    var bytes: [UInt8] = []
    var chain: UInt64 = 0
    for line in lines { RecoveryLines.append(line, to: &bytes, chain: &chain) }
    #expect(RecoveryLines.read(bytes).lines == lines)
    for count in bytes.indices {
      let read = RecoveryLines.read(Array(bytes.prefix(count)))
      #expect(read.lines == Array(lines.prefix(read.lines.count)))
      #expect(read.lines.count < lines.count)
    }
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        let read = RecoveryLines.read(damaged)
        // Hexadecimal digits are case-insensitive.
        #expect(read.lines == Array(lines.prefix(read.lines.count)), "byte \(place) bit \(bit)")
      }
    }
  }

  @Test func aLineOfAnotherFileOrOutOfOrderIsNotBelieved() throws {
    var first: [UInt8] = []
    var second: [UInt8] = []
    var chain: UInt64 = 0
    RecoveryLines.append("one", to: &first, chain: &chain)
    RecoveryLines.append("two", to: &second, chain: &chain)
    #expect(RecoveryLines.read(first + second).lines == ["one", "two"])
    #expect(RecoveryLines.read(second).lines.isEmpty)
    #expect(RecoveryLines.read(first + first).lines == ["one"])
    #expect(RecoveryLines.read(first + first).damagedBytes == first.count)
  }

  @Test func programsTakeDifferentNamesAndTheTenthHasNone() throws {
    let place = try recoveryFolder()
    var files = try (1...9).map { _ in try place.create() }
    #expect(Set(files.map(\.path)).count == 9)
    let failure = #expect(throws: FileSystemError.self) { try place.create() }
    #expect(failure?.code == .exists)
    files = []
    #expect(try recoveryFolder().abandoned().count == 9)
  }

  @Test func replacingIsWholeOrAbsentWhateverFails() throws {
    var calls = 1
    while true {
      let place = try recoveryFolder()
      let file = try place.create()
      try file.append(["old"])
      fileSystem.inject { [calls] in $0.number == calls ? .fail(.noSpace) : .none }
      let outcome = Result { try file.replace(with: ["new", "lines"]) }
      let wasReached = fileSystem.calls.count >= calls
      fileSystem.inject()
      file.letGo()
      let found = try recoveryFolder().abandoned()
      switch outcome {
      case .success: #expect(found.map(\.lines) == [["new", "lines"]])
      case .failure: #expect(found.map(\.lines) == [["old"]])
      }
      try found[0].remove()
      #expect(try folder.names().filter { !$0.hasSuffix(".new") } == [])
      calls += 1
      if !wasReached { break }
    }
    #expect(calls > 6)
  }

  @Test func rewrittenRecoveryFileStaysLocked() throws {
    let writer = try recoveryFolder().create()
    try writer.append(["one"])
    try writer.replace(with: ["two"])
    #expect(try recoveryFolder().abandoned().isEmpty)
    try writer.append(["three"])
    writer.letGo()
    #expect(try recoveryFolder().abandoned().map(\.lines) == [["two", "three"]])
  }

  @Test func linksAndFoldersAndFilesOfOthersAreLeftAlone() throws {
    try folder.put("target", "0123456789abcdef x\n")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(Self.name),
      withDestinationPath: folder.file("target")
    )
    try FileManager.default.createDirectory(
      atPath: folder.file(Self.name + "-2"),
      withIntermediateDirectories: false
    )
    #expect(try recoveryFolder().abandoned().isEmpty)
    let file = try recoveryFolder().create()
    #expect(file.path.hasSuffix("-3"))
    try file.append(["mine"])
    file.letGo()
    #expect(try recoveryFolder(owner: 4_000_000).abandoned().isEmpty)
    #expect(try recoveryFolder().abandoned().count == 1)
    #expect(try folder.text("target") == "0123456789abcdef x\n")
  }

  @Test func aFileThatIsPutAsideReplacesTheOneBefore() throws {
    for text in ["first", "second"] {
      let file = try recoveryFolder().create()
      try file.append([text])
      #expect(try file.putAside(as: ".catalog-recovery.discarded").hasSuffix(".discarded"))
    }
    #expect(try folder.names() == [".films.json.catalog-recovery.discarded"])
    #expect(try folder.text(".films.json.catalog-recovery.discarded").hasSuffix(" second\n"))
  }

  @Test func aStoreWithTheLongestNameHasItsFile() throws {
    let name = String(repeating: "é", count: 125) + ".json"
    let place = try RecoveryFolder(fileSystem: fileSystem, storePath: folder.file(name))
    let file = try place.create()
    try file.append(["one"])
    try file.replace(with: ["two"])
    file.letGo()
    #expect(try folder.names().allSatisfy { $0.utf8.count <= 255 })
    #expect(fileSystem.openCount >= 0)
  }
}
