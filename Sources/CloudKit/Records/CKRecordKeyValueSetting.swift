internal import Basics
@_exported public import Foundation

/// A record, or the encrypted values of one.
public protocol CKRecordKeyValueSetting: NSObjectProtocol {
  /// The value of a field; nil for none.
  func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?
  /// Sets the value of a field; nil removes it.
  func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)
  /// The value of a field; nil for none.
  subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? { get set }
  /// The fields that have a value.
  func allKeys() -> [CKRecord.FieldKey]
  /// The fields that changed since the record was saved or fetched.
  func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
  /// The value of a field as a type; nil for none, and for a value of another type.
  public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
    get { object(forKey: key) as? T }
    set { setAny(newValue, forKey: key) }
  }

  /// The value of a field; nil for none.
  @_disfavoredOverload
  public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
    get { object(forKey: key) }
    set { setAny(newValue, forKey: key) }
  }

  /// Sets the value of a field, which may be of a type that is not known before run time.
  private func setAny(_ value: Any?, forKey key: String) {
    setObject(FieldObject(checking: value, key)?.value, forKey: key)
  }
}

/// The values that the service cannot read.
final class EncryptedValues: NSObject, CKRecordKeyValueSetting, Sendable {
  private let record: CKRecord

  init(of record: CKRecord) { self.record = record }

  func object(forKey key: String) -> (any CKRecordValue)? {
    record.state.withLock { $0.encrypted.object(key, in: record.recordID.zoneID)?.value }
  }

  func setObject(_ object: (any CKRecordValue)?, forKey key: String) {
    let value = FieldObject(checking: object, key)
    if value?.value is CKReference || value?.assets.isEmpty == false {
      preconditionFailure("Invalid class for encrypted value of key \"\(key)\"")
    }
    record.state.withLock { $0.encrypted.set(value, key) }
  }

  subscript(key: String) -> (any CKRecordValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  func allKeys() -> [String] { record.state.withLock { $0.encrypted.keys } }

  func changedKeys() -> [String] { record.state.withLock { $0.encrypted.changedKeys } }
}

extension CKRecord: Sequence {
  /// A field with its value.
  public typealias Element = (CKRecord.FieldKey, any CKRecordValueProtocol)
  /// An iterator over the fields that have a value.
  public typealias Iterator = CKRecordKeyValueIterator

  /// Returns an iterator over the fields that have a value, in the order of their names.
  public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

/// An iterator over the fields of a record.
public struct CKRecordKeyValueIterator: IteratorProtocol {
  private var keys: IndexingIterator<[String]>
  private let record: CKRecord

  init(_ record: CKRecord) {
    self.record = record
    keys = record.allKeys().makeIterator()
  }

  /// The next field with its value.
  public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
    while let key = keys.next() {
      if let value = record.object(forKey: key) { return (key, value) }
    }
    return nil
  }
}
