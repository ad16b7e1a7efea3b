/// A record as it was read from a text: nothing has been checked against a schema.
package struct RecordDraft: Sendable {
  /// The record's name; nil for a new one.
  package var name: String?
  /// The record's type.
  package var type: String?
  /// The zone.
  package var zone: String?
  /// The parent's name.
  package var parent: String?
  /// The values, in the order of the text.
  package var fields: [Field] = []
  /// Where the record begins.
  package var position = TextPosition(line: 1, column: 1)

  /// An empty draft.
  package init() {}

  /// A value of a draft.
  package struct Field: Sendable {
    /// The field's name as it was written.
    package var name: FieldName
    /// The value; nil for none.
    package var value: FieldValue?
    /// The type that was written with the value.
    package var type: FieldType?
    /// Where the value stands.
    package var position: TextPosition

    /// Puts a value together.
    package init(
      _ name: FieldName, _ value: FieldValue?, type: FieldType? = nil, at position: TextPosition
    ) {
      self.name = name
      self.value = value
      self.type = type
      self.position = position
    }
  }
}

/// A place in a text file; both numbers count from 1, columns are Unicode scalars.
package struct TextPosition: Sendable, Equatable {
  /// The line.
  package var line: Int
  /// The column.
  package var column: Int

  /// Names a place.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `line:column`.
  package var text: String { "\(line):\(column)" }
}
