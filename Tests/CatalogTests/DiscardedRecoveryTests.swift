import Foundation
import Testing

@Suite struct DiscardedRecoveryTests {
  @Test func discardingTwoRecoveryFilesKeepsACopyOfEach() throws {
    let films = try EditedFilms()
    let run = try films.lineByLine()
    kill(run.process, SIGKILL)
    _ = run.wait()
    let first = films.folder.file(EditedFilms.journal)
    try FileManager.default.copyItem(atPath: first, toPath: first + "-2")
    let discarded = try films.folder.run([films.store, "-e", "recover discard"])
    #expect(discarded.status == 0, "\(discarded)")
    let kept = try films.folder.names().filter { $0.contains(".discarded") }
    #expect(kept.count == 2, "\(kept)")
    #expect(try films.folder.run([films.store, "-e", "recover"]).status == 1)
  }
}
