import CatalogApp
import Foundation
import Terminal

// The only place that names the real clock, files, environment and streams.
prepareProcess()
let errors = StandardOutput(2)
let status: Int32
do {
  let options = try Options.parse(ProcessInput.arguments())
  status = Program(
    options: options,
    environment: ProcessInfo.processInfo.environment,
    output: StandardOutput(1),
    errors: errors,
    input: DescriptorReader(descriptor: 0)
  ).run()
} catch {
  // If standard error cannot be written to, the error cannot be reported anywhere.
  try? errors.write("catalog: \(DisplayText(String(describing: error)).plain)\n")
  try? errors.flush()
  status = 2
}
exit(status)
