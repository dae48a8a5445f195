import Foundation
import Testing

/// What is where the views of a store are kept, and is none of them, stays there.
@Suite struct UnreadableViewsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a,b\n1,2\n", to: "f.csv")
  }

  private func start(_ arguments: [String] = []) throws -> ScreenRun {
    try ScreenRun(
      [folder.file("f.csv")] + arguments,
      environment: ["XDG_STATE_HOME=\(folder.file("state"))"],
      columns: 200
    )
  }

  /// The path of the views, after some were saved.
  private func savedViews() throws -> String {
    let run = try start()
    run.type(":view save x\r")
    #expect(run.shows("saved the view x"))
    run.type("q")
    #expect(run.wait() == .exited(0))
    let views = folder.file("state/catalog/views")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: views).first)
    return views + "/" + name
  }

  @Test(arguments: ["not views", "catalog views 2\n", ""], [[], ["--plain"]])
  func itIsNotReplaced(text: String, arguments: [String]) throws {
    let path = try savedViews()
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let run = try start(arguments)
    if arguments.isEmpty { #expect(run.shows("saved views are not used: line 1")) }
    run.type(arguments.isEmpty ? ":view save y\r" : "view save y\n")
    #expect(
      run.shows("views are not saved: line 1: expected \"catalog views 1\" (\(path); remove it")
    )
    run.type(arguments.isEmpty ? "q" : "quit\n")
    _ = run.wait()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func anythingButAFileIsNamed() throws {
    let path = try savedViews()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let run = try start()
    #expect(run.shows("saved views are not used: not a regular file"))
    // Nothing is in the way any more.
    try FileManager.default.removeItem(atPath: path)
    run.type(":view save y\rq")
    #expect(run.wait() == .exited(0))
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("view f y"))
  }
}
