internal import Basics

/// The values of a record, in the byte order of their names: every output lists them so, and
/// two stores with the same records print the same bytes.
package struct RecordFields: Sendable, Equatable {
  /// A field with its value.
  package struct Entry: Sendable, Equatable {
    /// The field's name.
    package var name: FieldName
    /// The field's value.
    package var value: FieldValue

    /// Pairs a name with a value.
    package init(_ name: FieldName, _ value: FieldValue) {
      self.name = name
      self.value = value
    }
  }

  /// The fields that have a value, sorted by name.
  package private(set) var entries: [Entry] = []

  /// No values.
  package init() {}

  /// Takes entries that are sorted by name already, each name once.
  package init(sorted entries: [Entry]) { self.entries = entries }

  /// The value of a field; nil for none. Setting nil removes the value.
  package subscript(name: FieldName) -> FieldValue? {
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

  /// The first place whose name does not stand before `name`.
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

  /// How many bytes the values count towards a record's size limit, assets not counted (3.4.8).
  package var size: Int {
    entries.reduce(0) { $0 + $1.name.text.utf8.count + $1.value.size }
  }
}
