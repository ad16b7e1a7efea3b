internal import Basics
public import CloudModel

/// The text of one record, the same for every notation, before values have types.
public struct RecordText: Sendable {
  /// Everything that is not a field.
  public var keys: RecordKeys
  /// The values, in the order of the text.
  public var fields: [FieldText]
}

/// The keys of a record in a text.
public struct RecordKeys: Sendable {
  /// The record's name.
  public var name: Placed<String>?
  /// The record's type.
  public var type: Placed<String>?
  /// The zone's name.
  public var zone: Placed<String>?
  /// The owner of the zone, if the text names one.
  public var zoneOwner: String?
  /// The parent's name.
  public var parent: Placed<String>?
  /// The parent's zone, if the text names one.
  public var parentZone: ZoneID?
  /// Whether the text removes the parent (`"parent": null`).
  public var removesParent = false
  /// Whether the record is to be deleted.
  public var isDeletion = false
  /// The change tag of the version that it is based on.
  public var changeTag: String?
  /// Whether there is a key `fields`.
  public var hasFields = false
  /// The faults of the text, in the order they were found.
  public var faults: [RecordReadingError] = []
  /// Whether the value is not a record, or a key has a value of the wrong kind.
  public var isUnreadable = false
  /// The position of the record.
  public var position: TextPosition

  /// Creates keys without values.
  init(at position: TextPosition) { self.position = position }

  /// Removes the owner from a zone's name if the text also has it separately: our output writes a
  /// shared zone as `NAME:OWNER`.
  mutating func splitOwner() {
    guard let owner = zoneOwner, let named = zone else { return }
    let (name, end) = (named.value.utf8, ":\(owner)".utf8)
    guard name.count > end.count, name.suffix(end.count).elementsEqual(end) else { return }
    zone = Placed(String(decoding: name.dropLast(end.count), as: UTF8.self), at: named.position)
  }

  /// Notes a fault that makes the rest of the record meaningless.
  mutating func giveUp(_ message: String, at position: TextPosition) {
    isUnreadable = true
    note(message, at: position)
  }

  /// Notes a fault.
  mutating func note(_ message: String, at position: TextPosition, remedy: Remedy? = nil) {
    faults.append(RecordReadingError(message, at: position, remedy: remedy))
  }
}

/// The error for a record that could not be read, with its position.
public struct RecordReadingError: Error, Sendable {
  /// The reason, without a final period.
  public let message: String
  /// The position.
  public let position: TextPosition
  /// Whether the text violates its notation, rather than the rules for records.
  public let isSyntax: Bool
  /// The remedy.
  public let remedy: Remedy?
  /// The record's name, if that could be read.
  public internal(set) var name: String?
  /// The zone that the record names, if that could be read.
  public internal(set) var zone: String?

  /// Creates an error.
  public init(
    _ message: String, at position: TextPosition, isSyntax: Bool = false, remedy: Remedy? = nil
  ) {
    self.message = message
    self.position = position
    self.isSyntax = isSyntax
    self.remedy = remedy
  }

  /// Converts an error of a walker. Walkers throw `NotationError`.
  init(_ error: any Error, _ places: inout TextPlaces) {
    let notation = error as? any NotationError
    self.init(
      notation?.message ?? "\(error)", at: places.position(notation?.offset ?? 0), isSyntax: true)
  }
}

extension RecordDraft {
  /// Creates a draft from keys and fields. Throws the first `RecordReadingError`.
  init(_ keys: RecordKeys, _ values: DraftFields) throws(RecordReadingError) {
    if var fault = keys.faults.first ?? values.fault {
      fault.name = keys.name?.value
      fault.zone = keys.zone?.value
      throw fault
    }
    self.init()
    name = keys.name?.value
    type = keys.type?.value
    zone = keys.zone?.value
    zoneOwner = keys.zoneOwner
    parent = keys.parent?.value
    parentZone = keys.parentZone
    removesParent = keys.removesParent
    isDeletion = keys.isDeletion
    changeTag = keys.changeTag
    position = keys.position
    fields = values.fields
  }

  /// Creates a draft from a text, with typed values. Throws the first `RecordReadingError`.
  init(_ text: RecordText) throws(RecordReadingError) {
    var values = DraftFields(count: text.fields.count)
    for field in text.fields { values.take(field.name, field.value, at: field.position) }
    try self.init(text.keys, values)
  }
}
