public import Foundation

// Foundation lacks these orders outside Apple's systems.
#if !canImport(Darwin)
  extension String {
    /// Localized text orders, in addition to the lexical one of `String.StandardComparator`.
    public enum LocalizedComparator: Hashable, Sendable {
      /// The order of file lists: ignores case and compares numbers by value, so `file2` comes before
      /// `file10`.
      case localizedStandard
      /// The order of the current locale.
      case localized
    }
  }

  extension SortDescriptor {
    /// Creates a descriptor with a localized text order; the records are sorted in memory.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable,
      comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      switch comparator {
      case .localizedStandard:
        self.init(sendable(keyPath.appending(path: \.inStandardOrder)), order: order)
      case .localized:
        self.init(sendable(keyPath.appending(path: \.inLocalizedOrder)), order: order)
      }
    }

    /// Creates a descriptor with a localized text order, nil first; the records are sorted in memory.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable,
      comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      switch comparator {
      case .localizedStandard:
        self.init(sendable(keyPath.appending(path: \.inStandardOrder)), order: order)
      case .localized:
        self.init(sendable(keyPath.appending(path: \.inLocalizedOrder)), order: order)
      }
    }
  }

  // Without a comparator, Apple's Foundation orders text like the Finder, but Foundation on other systems
  // orders by characters, in which stores can sort.
  extension SortDescriptor where Compared: PersistentModel {
    /// Creates a descriptor that orders texts by characters, unlike Apple's, which orders like the Finder.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable,
      order: SortOrder = .forward
    ) {
      self.init(keyPath, comparator: .lexical, order: order)
    }

    /// Creates a descriptor that orders texts by their characters, nil first, where Apple's orders as the
    /// Finder does.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable,
      order: SortOrder = .forward
    ) {
      self.init(keyPath, comparator: .lexical, order: order)
    }
  }

  /// A text in the order of lists of files.
  struct StandardOrderedText: Comparable {
    let text: String

    static func < (left: Self, right: Self) -> Bool {
      left.text.localizedStandardCompare(right.text) == .orderedAscending
    }

    static func == (left: Self, right: Self) -> Bool {
      left.text.localizedStandardCompare(right.text) == .orderedSame
    }
  }

  /// A text in the order of the current locale.
  struct LocalizedOrderedText: Comparable {
    let text: String

    static func < (left: Self, right: Self) -> Bool {
      left.text.localizedCompare(right.text) == .orderedAscending
    }

    static func == (left: Self, right: Self) -> Bool {
      left.text.localizedCompare(right.text) == .orderedSame
    }
  }

  extension String {
    var inStandardOrder: StandardOrderedText { StandardOrderedText(text: self) }
    var inLocalizedOrder: LocalizedOrderedText { LocalizedOrderedText(text: self) }
  }

  extension String? {
    var inStandardOrder: StandardOrderedText? { map { $0.inStandardOrder } }
    var inLocalizedOrder: LocalizedOrderedText? { map { $0.inLocalizedOrder } }
  }
#endif
