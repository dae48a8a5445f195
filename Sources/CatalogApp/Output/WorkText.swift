import Foundation
package import OpenSwiftData

/// The line that shows long work.
package enum WorkText {
  /// How long work runs before it is shown.
  package static let delay = Duration.milliseconds(200)

  /// Names the work, and says how far it is: `set: 412,000 of 1,000,000`, `import: reading 43 %`, or `saving 1.2 s`.
  ///
  /// The title may end in `…`, as messages about running commands do.
  package static func line(_ title: String, _ stage: WorkStage?, elapsed: Duration) -> String {
    let name = title.hasSuffix("…") ? title.dropLast().trimmingSuffix(" ") : title
    // A part that is complete says nothing about what is done now.
    guard let stage, stage.done < stage.total else {
      return name + String(format: " %.1f s", elapsed / .seconds(1))
    }
    return "\(name): " + (stage.title.isEmpty ? "" : stage.title + " ") + amount(stage)
  }

  private static func amount(_ stage: WorkStage) -> String {
    switch stage.unit {
    case .records: "\(stage.done.groupedDigits) of \(stage.total.groupedDigits)"
    case .milliseconds: "\(stage.done / 1000) of \((stage.total + 999) / 1000) s"
    case .bytes: "\(Int(Double(stage.done) / Double(stage.total) * 100)) %"
    }
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    String(hasSuffix(suffix) ? dropLast(suffix.count) : self[...])
  }
}

extension Command {
  /// The name of the running command.
  package var workTitle: String { progress ?? name }
}
