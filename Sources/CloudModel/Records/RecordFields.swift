internal import Basics

/// The values of a record, in byte order of their names, the order of every output: two stores with
/// the same records print the same bytes.
public struct RecordFields: Sendable, Equatable {
  /// A field with its value.
  public struct Entry: Sendable, Equatable {
    /// The field's name.
    public var name: FieldName
    /// The field's value.
    public var value: FieldValue

    /// Creates an entry.
    public init(_ name: FieldName, _ value: FieldValue) {
      self.name = name
      self.value = value
    }
  }

  /// The fields that have a value, sorted by name.
  public private(set) var entries: [Entry] = []

  /// No values.
  public init() {}

  /// Creates fields from entries that are already sorted by name, each name once.
  public init(sorted entries: [Entry]) { self.entries = entries }

  /// The value of a field; nil for none. Setting nil removes the value.
  public subscript(name: FieldName) -> FieldValue? {
    get { find(name).map { entries[$0].value } }
    set {
      let place = place(of: name)
      let isThere = place < entries.count && entries[place].name == name
      switch (isThere, newValue) {
      case (true, let value?): entries[place].value = value
      case (true, nil): entries.remove(at: place)
      case (false, let value?): entries.insert(Entry(name, value), at: place)
      case (false, nil): break
      }
    }
  }

  private func find(_ name: FieldName) -> Int? {
    let place = place(of: name)
    return place < entries.count && entries[place].name == name ? place : nil
  }

  /// The first place whose name does not precede `name`.
  private func place(of name: FieldName) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if utf8Precedes(entries[middle].name.text, name.text) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Removes all values except those of some fields.
  public mutating func keep(_ names: [FieldName]) {
    let names = Set(names)
    entries.removeAll { !names.contains($0.name) }
  }

  /// The assets in the values, including duplicates.
  public var assets: [Asset] { entries.flatMap { $0.value.assets } }
}
