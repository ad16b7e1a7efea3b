internal import CloudModel
internal import Foundation

/// The fields of a record: what the service knows, and what the app changed since.
struct FieldStore: Sendable {
  /// The values as fetched, which become objects when they are asked for.
  private var fetched = RecordFields()
  /// Values that were saved since, or are objects from the beginning; nil for a removed value.
  private var saved: [String: FieldObject?] = [:]
  /// The values that are not saved yet.
  private var pending: [String: Pending] = [:]
  /// Counts the changes.
  private var changes = 0

  /// A value that is not saved yet; nil for a removed one.
  private struct Pending: Sendable {
    let object: FieldObject?
    /// The number of the change.
    let change: Int
  }

  init() {}

  /// The fields of a fetched record; `objects` are the values that need more than the model's
  /// value.
  init(_ fetched: RecordFields, objects: [String: FieldObject] = [:]) {
    self.fetched = fetched
    for (key, object) in objects { saved[key] = .some(object) }
  }

  /// The value of a field; nil for none.
  func object(_ key: String, in zoneID: CKRecordZone.ID) -> FieldObject? {
    if let change = pending[key] { return change.object }
    if let object = saved[key] { return object }
    return fetched[FieldName(stored: key)].flatMap { FieldObject($0, in: zoneID) }
  }

  /// Sets the value of a field, or removes it.
  mutating func set(_ object: FieldObject?, _ key: String) {
    changes += 1
    pending[key] = Pending(object: object, change: changes)
  }

  /// The fields that have a value, in the order of their names.
  var keys: [String] {
    var keys = Set(fetched.entries.map(\.name.text))
    for (key, object) in saved { if object == nil { keys.remove(key) } else { keys.insert(key) } }
    for (key, change) in pending {
      if change.object == nil { keys.remove(key) } else { keys.insert(key) }
    }
    return keys.sorted()
  }

  /// The fields that the app changed since the last save or fetch, in the order of their names.
  var changedKeys: [String] { pending.keys.sorted() }

  /// A field to send to the service: its value is nil if it was removed.
  struct Sent {
    let key: String
    let object: FieldObject?
    /// Whether the app changed it since the record was saved or fetched.
    let isChanged: Bool
  }

  /// The changes to send, in the order of their names; with `all` also the values that did not
  /// change.
  func sent(all: Bool, in zoneID: CKRecordZone.ID) -> [Sent] {
    let keys = all ? Set(keys).union(pending.keys).sorted() : changedKeys
    return keys.map {
      Sent(key: $0, object: object($0, in: zoneID), isChanged: pending[$0] != nil)
    }
  }

  /// The number of the last change, for `commit`.
  var mark: Int { changes }

  /// Notes that the changes up to a mark are saved.
  mutating func commit(upTo mark: Int) {
    for (key, change) in pending where change.change <= mark {
      saved[key] = .some(change.object)
      pending[key] = nil
    }
  }

  /// The fields without the changes that are not saved.
  var withoutChanges: FieldStore {
    var store = self
    store.pending = [:]
    return store
  }
}
