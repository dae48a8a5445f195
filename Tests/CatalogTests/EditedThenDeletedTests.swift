import Testing

/// Records that were edited and then deleted, both unsaved, after the list is sorted again.
@Suite struct EditedThenDeletedTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("genre,title,n\nA,a1,1\nB,b1,2\nA,a2,3\nC,c1,4\nB,b2,5\n", to: "grp.csv")
  }

  private func rows(_ keys: String) throws -> [String] {
    let screen = try folder.run(["grp.csv", "--keys", "-"], input: keys).output
    return screen.split(separator: "\n").map(String.init)
  }

  @Test func theRecordIsInTheGroupThatItShows() throws {
    let lines = try rows("b e C-u C Enter C-l d C-l")
    let groups = lines.filter { $0.contains("▾ ") }
    #expect(groups.count == 3 && groups.last?.contains("▾ C") == true, "\(lines)")
    let place = lines.firstIndex { $0.contains("▾ C") } ?? lines.count
    #expect(lines[place...].contains { $0.contains("a1") }, "\(lines)")
  }

  @Test func theRecordIsWhereItsShownValueSorts() throws {
    let lines = try rows("$ s e C-u 99 Enter C-l d C-l")
    #expect(lines[5].contains("a1") && lines[5].contains("99"), "\(lines)")
    #expect(lines[1].contains("b1"), "\(lines)")
  }

  /// A record whose order did not change stays where it was, and undo and save leave the others in order.
  @Test func otherDeletedRecordsStay() throws {
    let lines = try rows("$ s h e C-u zz Enter d C-l")
    #expect(lines[1].contains("zz") && lines[2].contains("b1"), "\(lines)")
    let undone = try rows("$ s e C-u 99 Enter C-l d C-l u u C-l")
    #expect(undone[1].contains("a1") && undone[5].contains("b2"), "\(undone)")
    let saved = try rows("$ s e C-u 99 Enter C-l d C-l w")
    #expect(saved[1].contains("b1") && saved[4].contains("b2"), "\(saved)")
    #expect(!saved.contains { $0.contains("a1") }, "\(saved)")
  }

  /// A filter lists the record by the value that it shows.
  @Test func aFilterUsesTheShownValue() throws {
    let edit = "e C-u C Enter d "
    #expect(try rows(edit + "f genre=C Enter").contains { $0.contains("a1") })
    #expect(try !rows(edit + "f genre=A Enter").contains { $0.contains("a1") })
  }
}
