import Foundation
import FuzzTargets
import Testing

/// The stored inputs of the fuzzers and reproducible mutations of them.
///
/// `make fuzz` continues the search. An input that it finds is added to `Corpus` with the fix.
///
/// Covers G19.
@Suite struct FuzzTargetTests {
  private func corpus(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Corpus/\(target.rawValue)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    return try files.sorted { $0.path < $1.path }.map {
      ($0.lastPathComponent, Array(try Data(contentsOf: $0)))
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func everyKeptInputIsReadOrRefused(target: FuzzTarget) throws {
    for (number, bytes) in try target.seeds().enumerated() {
      #expect(throws: Never.self, "seed \(number)") { try target.run(bytes) }
    }
    for (name, bytes) in try corpus(target) {
      #expect(throws: Never.self, "Corpus/\(target.rawValue)/\(name)") { try target.run(bytes) }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func everyChangedInputIsReadOrRefused(target: FuzzTarget) throws {
    let inputs = try target.seeds() + corpus(target).map(\.bytes)
    var mutator = InputMutator(seed: 20_261_121)
    for round in 0..<150 {
      let bytes = mutator.next(from: inputs, limitBytes: target.lengthLimit)
      #expect(throws: Never.self, "round \(round): \(Data(bytes).base64EncodedString())") {
        try target.run(bytes)
      }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func aPlantedFlawIsFound(target: FuzzTarget) throws {
    let inputs = try target.seeds()
    let found = inputs.contains { bytes in
      do {
        try target.run(bytes, isFlawed: true)
        return false
      } catch { return error is FuzzViolation }
    }
    #expect(found)
  }
}
