import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 3, let count = Int(arguments[2]) else {
  FileHandle.standardError.write(
    Data("usage: catalog-bench DATA N [REPETITIONS [naive|sqlite [GROUP]]]\n".utf8)
  )
  exit(2)
}
let repetitions = arguments.count > 3 ? Int(arguments[3]) ?? 3 : 3
do {
  let bench = Bench(folder: arguments[1], count: count, repetitions: repetitions)
  switch arguments.dropFirst(4).first {
  case "naive": try bench.runNaive()
  case "sqlite": try bench.runSQLite(only: arguments.dropFirst(5).first)
  default: try bench.run()
  }
} catch {
  FileHandle.standardError.write(Data("catalog-bench: \(error)\n".utf8))
  exit(1)
}
