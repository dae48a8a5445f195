import Foundation
import StoreTorture

do {
  let options = try TortureOptions(Array(CommandLine.arguments.dropFirst()))
  switch options.role {
  case .parent: exit(try Torture(options).run() ? 0 : 1)
  case .saver(let store, let path): try ChildWork(store, path).saveUntilKilled()
  case .filler(let store, let path): try ChildWork(store, path).fill()
  case .appender(let store, let path, let number, let count):
    try ChildWork(store, path).append(number: number, count: count)
  }
} catch {
  FileHandle.standardError.write(Data("store-torture: \(error)\n".utf8))
  exit(2)
}
