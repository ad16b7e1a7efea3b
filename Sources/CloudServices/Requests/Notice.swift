internal import Basics
public import CloudModel

/// A side effect that the caller should know about; each result contains the notices of its
/// operation.
public enum Notice: Sendable, Equatable {
  /// An account that wrote for the first time, and one with a similar name.
  case newAccount(Account, UserRecordName, near: Account?)
  /// A record type that a save created, and a type with a similar name.
  case newType(RecordType, near: RecordType?)
  /// A field that a save created in an existing type, and a field with a similar name, which may
  /// have been meant.
  case newField(FieldName, RecordType, near: FieldName?)
  /// An invited account that the store does not have, and one with a similar name.
  case unknownInvitee(Account, near: Account?)
  /// An asset whose contents CloudKit would refuse.
  case largeAsset(Asset)

  static func newType(_ type: RecordType, among types: [RecordType]) -> Notice {
    let near = Suggestion.nearest(to: type.text, among: types.lazy.map(\.text), slips: 1)
    return .newType(type, near: near.map { RecordType(stored: $0) })
  }

  static func newField(_ name: FieldName, of schema: RecordTypeSchema) -> Notice {
    let near = Suggestion.nearest(
      to: name.text, among: schema.fields.lazy.map(\.name.text), slips: 2)
    return .newField(name, schema.name, near: near.map { FieldName(stored: $0) })
  }
}
