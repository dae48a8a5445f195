import Foundation
import Testing

private let hasGit = ["/usr/bin/git", "/usr/local/bin/git"].contains {
  FileManager.default.isExecutableFile(atPath: $0)
}

/// `catalog merge` as a merge driver of git.
@Suite(.enabled(if: hasGit, "git is not installed: the merge driver is NOT tested"))
struct GitMergeTests {
  private let folder: TemporaryFolder

  private static let start = """
    set -e
    export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    git init -q -b main r && cd r
    echo '*.csv merge=catalog' > .gitattributes
    git config merge.catalog.driver "'$catalog' merge %O %A %B as %P"
    save() { git add -A; git commit -qm "$1"; }
    printf 'sku,name,price\\nA1,Pen,1\\nB2,Ink,4\\n' > t.csv; save base
    git checkout -q -b other
    printf 'sku,name,price\\nA1,Pencil,1\\nB2,Ink,4\\nC3,Cap,9\\n' > t.csv; save theirs
    git checkout -q main
    printf 'sku,name,price\\nA1,Pen,2\\nB2,Ink,4\\n' > t.csv

    """

  init() throws { folder = try TemporaryFolder() }

  private static let merged = "sku,name,price\nA1,Pencil,2\nB2,Ink,4\nC3,Cap,9\n"

  @Test func aRefusedMergeStopsTheMerge() throws {
    let run = try folder.inShell(
      Self.start + """
        printf 'name,price\\nPen,2\\nInk,4\\n' > t.csv; save ours
        git merge -q other >&2 && exit 9; git status --short; cat t.csv
        """
    )
    #expect(
      run.output == """
        UU t.csv
        <<<<<<< ours
        name,price
        Pen,2
        Ink,4
        =======
        sku,name,price
        A1,Pencil,1
        B2,Ink,4
        C3,Cap,9
        >>>>>>> theirs

        """,
      "\(run.errors)"
    )
    #expect(run.errors.contains("t.csv: not merged, both versions are marked: the files have"))
  }

  /// Git merges two common ancestors first; if these cannot be merged, neither side is what was decided.
  @Test func aRefusedMergeOfAncestorsIsAConflict() throws {
    let run = try folder.inShell(
      Self.start + """
        { git checkout -q t.csv
        printf 'name,price\\nPen,1.80\\nInk,4\\nInk,4\\nCap,2\\n' > t.csv; save start; git branch two
        git checkout -q -b one; sed -i s/1.80/1.81/ t.csv; save one
        git checkout -q two; sed -i s/1.80/1.82/ t.csv; save two
        git checkout -q one; git merge two || git checkout -q --ours t.csv; save one-decided
        git checkout -q two; git merge one~1 || git checkout -q --ours t.csv; save two-decided
        git checkout -q one
        } >&2
        git merge -q two >&2 && exit 9; git status --short
        """
    )
    #expect(run.output == "UU t.csv\n", "\(run.errors)")
  }

  @Test(arguments: [
    "save ours; git merge -q other",
    "save ours; git rebase -q other",
    "save ours; git cherry-pick other",
    "git stash -q; git merge -q other; git stash pop -q",
    // Criss-cross: two common ancestors.
    """
    save ours; git branch one; git checkout -q other; echo x > x; save x; git merge -q one; git checkout -q main
    git merge -q other~1; echo y > y; save y; git merge -q other
    """,
  ])
  func mergesWithoutConflict(_ commands: String) throws {
    let run = try folder.inShell(Self.start + "{ \(commands)\n} >&2; cat t.csv")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == Self.merged)
  }

  @Test func aConflictStopsTheMerge() throws {
    let run = try folder.inShell(
      Self.start + """
        printf 'sku,name,price\\nA1,Quill,1\\nB2,Ink,5\\n' > t.csv; save ours
        git merge -q other >&2 && exit 9; git status --short; cat t.csv
        """
    )
    #expect(
      run.output == """
        UU t.csv
        sku,name,price
        <<<<<<< ours
        A1,Quill,1
        =======
        A1,Pencil,1
        >>>>>>> theirs
        B2,Ink,5
        C3,Cap,9

        """
    )
  }

  @Test func aFileAddedOnBothSidesHasNoBase() throws {
    let run = try folder.inShell(
      Self.start + """
        printf 'sku,name\\nA1,Pen\\n' > n.csv; save ours; git checkout -q other
        printf 'sku,name\\nA1,Pen\\nB2,Ink\\n' > n.csv; save more; git checkout -q main
        git merge -q other >&2; cat n.csv
        """
    )
    #expect(run.output == "sku,name\nA1,Pen\nB2,Ink\n", "\(run.errors)")
  }
}
