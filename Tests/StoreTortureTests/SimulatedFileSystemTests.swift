import Stores
import Testing

@testable import StoreTorture

@Suite struct SimulatedFileSystemTests {
  let files = SimulatedFileSystem()

  private func create(_ name: String, _ text: String = "") throws -> OpenFile {
    let file = try files.open("/disk/" + name, in: nil, .create(permissions: 0o600))
    var text = text
    try text.withUTF8 { try files.writeAll(file, at: 0, UnsafeRawBufferPointer($0)) }
    return file
  }

  private func code(_ body: () throws -> Void) -> SystemErrorCode? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FileSystemError)?.code
    }
  }

  @Test func whatIsWrittenIsRead() throws {
    let file = try create("a", "hello")
    #expect(try files.readAll(file, from: 1).copy() == Array("ello".utf8))
    try files.truncate(file, to: 2)
    #expect(files.disk.bytes(at: "/disk/a") == Array("he".utf8))
    try files.truncate(file, to: 3)
    #expect(files.disk.bytes(at: "/disk/a") == Array("he\0".utf8))
    #expect(try files.status(of: file).sizeBytes == 3)
    try files.close(file)
    #expect(files.openCount == 0)
    #expect(code { _ = try files.status(of: file) } == .badDescriptor)
  }

  @Test func namesAreTakenAndGivenUp() throws {
    let directory = try files.openDirectory("/disk")
    let file = try create("a", "1")
    #expect(code { _ = try create("a") } == .exists)
    try files.rename("a", to: "b", in: directory, replacing: true)
    #expect(try files.list(directory) == ["b"])
    _ = try create("a", "2")
    #expect(
      code { try files.rename("a", to: "b", in: directory, replacing: false) } == .exists
    )
    try files.rename("a", to: "b", in: directory, replacing: true)
    #expect(files.disk.bytes(at: "/disk/b") == Array("2".utf8))
    #expect(try files.status(of: file).linkCount == 0)
    try files.remove("b", in: directory)
    #expect(code { _ = try files.status(of: "b", in: directory) } == .notFound)
    #expect(code { _ = try files.open("/none/a", in: nil, .create(permissions: 0)) } == .notFound)
  }

  @Test func aByteIsLockedForOneOpening() throws {
    let first = try create("a")
    let second = try files.open("/disk/a", in: nil, .readWrite)
    #expect(try files.lock(first, byte: 0, exclusive: true))
    #expect(try files.lock(first, byte: 0, exclusive: true))
    #expect(try !files.lock(second, byte: 0, exclusive: true))
    #expect(try files.lock(second, byte: 1, exclusive: true))
    try files.close(first)
    #expect(try files.lock(second, byte: 0, exclusive: true))
  }

  @Test func aPlannedCallFailsOnceOrFromThenOn() throws {
    for isPersistent in [false, true] {
      files.plan(.init(call: 2, code: .inputOutput, isPersistent: isPersistent))
      let results = (0..<4).map { _ in code { _ = try files.status(of: "/disk", in: nil) } }
      #expect(
        results == [
          nil, .inputOutput, isPersistent ? .inputOutput : nil, isPersistent ? .inputOutput : nil,
        ]
      )
    }
    files.plan()
    #expect(code { _ = try files.status(of: "/disk", in: nil) } == nil)
  }

  @Test func callsEffectsAndSynchronizationsAreRecorded() throws {
    files.record()
    let file = try create("a", "1")
    try files.synchronize(file)
    #expect(files.effects.map(\.summary) == ["create /disk/a (3)", "write 3@0+1", "sync 3"])
    #expect(files.calls.map(\.operation) == [.create, .write, .synchronize])
    #expect(files.syncCount == 1)
  }
}
