internal import CloudModel
internal import Foundation

/// The values of a record in an archive, with the names of Apple's archives.
class CKRecordValueStore: NSObject, NSSecureCoding {
  let store: FieldStore
  private let zoneID: CKRecordZone.ID

  init(_ store: FieldStore, in zoneID: CKRecordZone.ID) {
    (self.store, self.zoneID) = (store, zoneID)
  }

  class var supportsSecureCoding: Bool { true }

  private enum Key {
    static let values = "RecordValues"
    static let originals = "OriginalValues"
    static let changed = "ChangedKeys"
  }

  func encode(with coder: NSCoder) {
    coder.encode(dictionary(of: store, store.keys), forKey: Key.values)
    coder.encode(dictionary(of: store.withoutChanges, store.changedKeys), forKey: Key.originals)
    coder.encode(NSSet(array: store.changedKeys), forKey: Key.changed)
  }

  private func dictionary(of store: FieldStore, _ keys: [String]) -> NSDictionary {
    let dictionary = NSMutableDictionary()
    for key in keys {
      guard let object = store.object(key, in: zoneID) else { continue }
      dictionary[key as NSString] = object.archived
    }
    return dictionary
  }

  /// Every class that a value can have.
  private static let classes: [AnyClass] = [
    NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
    CLLocation.self, CKReference.self, CKAsset.self,
  ]

  required init?(coder: NSCoder) {
    func objects(_ key: String) -> [String: FieldObject] {
      let values = coder.object(of: Self.classes, forKey: key) as? [String: Any] ?? [:]
      return values.compactMapValues { FieldObject($0) }
    }
    let values = objects(Key.values)
    let changed =
      coder.object(of: [NSSet.self, NSString.self], forKey: Key.changed) as? Set<String> ?? []
    var store = FieldStore(
      RecordFields(),
      objects: objects(Key.originals).merging(values.filter { !changed.contains($0.key) }) { $1 })
    for key in changed.sorted() { store.set(values[key], key) }
    (self.store, zoneID) = (store, .default)
  }
}

/// The values that the service cannot read, in an archive.
final class CKEncryptedRecordValueStore: CKRecordValueStore {}

extension FieldObject {
  /// The object as Foundation's class, which archives write.
  fileprivate var archived: NSObject {
    switch value {
    case let text as String: text as NSString
    case let date as Date: date as NSDate
    case let data as Data: data as NSData
    default: value as? NSObject ?? NSNull()
    }
  }
}
