/// Results divided into sections of consecutive models with the same title.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection
{
  /// Models with the same title, in order.
  public struct Section: RandomAccessCollection, Identifiable {
    /// The title.
    public let id: SectionTitle
    /// The models.
    public let elements: Slice<FetchResultsCollection<Element>>

    /// The title.
    public var title: SectionTitle { id }
    /// The index of the first model among all results.
    public var startIndex: Int { elements.startIndex }
    /// The index after the last model among all results.
    public var endIndex: Int { elements.endIndex }
    /// The model at an index among all results.
    public subscript(position: Int) -> Element { elements[position] }
  }

  private let results: FetchResultsCollection<Element>
  private let titles: [SectionTitle]
  /// The first index of each section, followed by the end.
  private let bounds: [Int]

  init(_ results: FetchResultsCollection<Element>, titles all: [SectionTitle]) {
    assert(all.count == results.count, "there is a title for each result")
    var titles: [SectionTitle] = []
    var bounds: [Int] = []
    for (place, title) in all.enumerated() where titles.last != title {
      titles.append(title)
      bounds.append(place)
    }
    self.results = results
    self.titles = titles
    self.bounds = bounds + [all.count]
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { titles.count }

  /// The section at the index.
  public subscript(position: Int) -> Section {
    Section(id: titles[position], elements: results[range(of: position)])
  }

  /// The indexes of a section among all results.
  func range(of section: Int) -> Range<Int> { bounds[section]..<bounds[section + 1] }

  /// The section that contains the index.
  func section(of place: Int) -> Int {
    Swift.max(0, titles.indices.partitioningIndex { bounds[$0] > place } - 1)
  }
}
