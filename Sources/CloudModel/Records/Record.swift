/// A record: its identity, its system fields and its values.
package struct Record: Sendable, Equatable {
  /// The record's name.
  package var name: RecordName
  /// The record's type, which never changes.
  package var type: RecordType
  /// The zone that it is in.
  package var zone: ZoneName
  /// The record that this one belongs to when it is shared (rule 5.8).
  package var parent: RecordName?
  /// The share that it takes part in; set by the store.
  package var share: RecordName?
  /// The version; nil before the first save.
  package var changeTag: ChangeTag?
  /// When and by whom it was made; nil before the first save.
  package var created: Stamp?
  /// When and by whom it was last saved; nil before the first save.
  package var modified: Stamp?
  /// The values.
  package var fields: RecordFields

  /// A record that is not yet in the store.
  package init(
    name: RecordName, type: RecordType, zone: ZoneName, fields: RecordFields = .init(),
    parent: RecordName? = nil
  ) {
    self.name = name
    self.type = type
    self.zone = zone
    self.fields = fields
    self.parent = parent
  }

  /// A moment and the user who acted.
  package struct Stamp: Sendable, Equatable {
    /// When.
    package var at: Timestamp
    /// Who, by his user record name in the container.
    package var by: UserRecordName

    /// Puts a stamp together.
    package init(at: Timestamp, by: UserRecordName) {
      self.at = at
      self.by = by
    }
  }
}
