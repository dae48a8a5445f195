import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 3, let count = Int(arguments[2]) else {
  FileHandle.standardError.write(Data("usage: model-bench FOLDER N [REPETITIONS [GROUP]]\n".utf8))
  exit(2)
}
let repetitions = arguments.count > 3 ? Int(arguments[3]) ?? 3 : 3
do {
  try ModelBench(
    folder: arguments[1],
    count: count,
    repetitions: repetitions,
    only: arguments.count > 4 ? arguments[4] : nil
  ).run()
} catch {
  FileHandle.standardError.write(Data("model-bench: \(error)\n".utf8))
  exit(1)
}
