import CatalogApp
import Foundation
import Testing

/// The recipes of docs/scripts.md: each is run, and its output compared.
@Suite struct RecipeTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/scripts.md")

  /// A command of a recipe, and what it prints.
  private struct Step {
    var command: String
    var output = ""
  }

  /// The headings of the recipes with the lines of their blocks.
  private static func recipes() throws -> [(title: String, lines: [String])] {
    var recipes: [(title: String, lines: [String])] = []
    var isInBlock = false
    for line in try String(contentsOf: page, encoding: .utf8).split(
      separator: "\n",
      omittingEmptySubsequences: false
    ) {
      if line.hasPrefix("## "), !isInBlock { recipes.append((String(line.dropFirst(3)), [])) }
      if line.hasPrefix("```") {
        isInBlock = line == "```console"
      } else if isInBlock {
        recipes[recipes.count - 1].lines.append(String(line))
      }
    }
    return recipes.filter { !$0.lines.isEmpty }
  }

  private static func steps(_ lines: [String]) -> [Step] {
    var steps: [Step] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2))))
      } else if line.hasPrefix("> "), !steps.isEmpty {
        steps[steps.count - 1].command += "\n" + line.dropFirst(2)
      } else if !steps.isEmpty {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  // Without the page, `thePageHasRecipes` fails.
  static let titles = (try? recipes().map(\.title)) ?? []

  @Test func thePageHasRecipes() { #expect(Self.titles.count >= 15) }

  @Test(arguments: titles) func theRecipePrintsWhatThePageShows(title: String) throws {
    let recipe = try #require(try Self.recipes().first { $0.title == title })
    let steps = Self.steps(recipe.lines)
    let folder = try TemporaryFolder()
    // The name of the program without its folder, as in the recipes.
    var script = "PATH=$(dirname \"$catalog\"):$PATH; unset MAKEFLAGS MAKELEVEL; exec 2>&1\n"
    for step in steps { script += "\(step.command)\nlast=$?; echo @; (exit $last)\n" }
    let run = try folder.inShell(script)
    let outputs = withoutIdentifiers(run.output).components(separatedBy: "@\n")
    #expect(outputs.count == steps.count + 1, "\(run.output)")
    for (step, output) in zip(steps, outputs) {
      #expect(output == step.output, "\(step.command)")
    }
  }

  /// The table of codes on the page; `CATALOG_WRITE_DOCS=1` writes it.
  @Test func thePageListsTheCodes() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- codes -->\n"))
    let end = try #require(text.range(of: "<!-- end of the codes -->"))
    let rows =
      "\n| code | meaning |\n|---|---|\n"
      + FailureCode.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |\n" }.joined() + "\n"
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + rows + text[end.lowerBound...]
      return try Data(written.utf8).write(to: Self.page)
    }
    #expect(text[start.upperBound..<end.lowerBound] == rows)
  }
}
