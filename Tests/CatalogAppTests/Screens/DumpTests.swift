import CatalogApp
import Foundation
import Testing

@Test func dump() throws {
  for keys in ["", "l s j v", "e \"abc\"", "l c abc", "Enter Tab x", "a", "f \"releaseYear > 2005\"", "f \"releaseYear >>\"", "/ nemo", ": se Tab", ": \"set \"", "F", "H", "C-p", "?", "d q", "Space j Space d", ": \"list where releaseYear>2000\" Enter", "Y", "V j V", "l c 2010 Tab x Enter u"] {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    print("==== \(keys)\n" + fixture.text + "\n")
  }
}
