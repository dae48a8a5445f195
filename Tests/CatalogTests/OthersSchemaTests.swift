import Foundation
import Testing

/// Scripts whose store gets another schema from another program.
@Suite struct OthersSchemaTests {
  @Test(
    arguments: ["s.json", "s.catlog"],
    [
      "list", "list where a = \"x\"", "export -", "set where a = \"x\" a=y",
      "duplicate where a = \"x\"",
      "saveas copy.json", "stats a", "show $(cat id)",
    ]
  )
  func aFieldThatAnotherProgramDropsIsGone(store: String, line: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.inShell(
      #"""
      set -e
      "$catalog" \#(store) -e 'entity create E b:integer a:text c:text' -e 'insert a=x b=1 c=keep' -e save >made
      sed -n 's/^t1 -> //p' made >id
      { echo 'list fields id,a'; while ! [ -e changed ]; do sleep 0.02; done
        echo "\#(line.replacing("\"", with: "\\\""))"; echo 'list fields id,c'; echo rollback; } |
        "$catalog" \#(store) --script - >out 2>err & script=$!
      while ! [ -s out ]; do sleep 0.02; done
      "$catalog" \#(store) -e 'field drop E b' -e save
      : >changed
      wait $script
      tail -n 1 out
      """#
    )
    #expect(run.status == 0 && run.output.hasSuffix("keep\n"), "\(run)")
  }
}
