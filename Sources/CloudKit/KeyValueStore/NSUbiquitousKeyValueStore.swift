internal import Basics
package import CloudModel
@_exported public import Foundation

/// The key of the reason of a change in the notification's `userInfo`: an `NSNumber`.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
/// The key of the changed keys in the notification's `userInfo`: an array of strings.
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"
/// Another device changed the keys.
public let NSUbiquitousKeyValueStoreServerChange = 0
/// The first synchronization of the device brought the keys.
public let NSUbiquitousKeyValueStoreInitialSyncChange = 1
/// A write exceeded the quota, and nothing was stored.
public let NSUbiquitousKeyValueStoreQuotaViolationChange = 2
/// Another account is signed in.
public let NSUbiquitousKeyValueStoreAccountChange = 3

/// The few small values that an app keeps on all devices of a user (kvs-documents.md, part A).
///
/// Reading and writing use the copy on the device, also without a network. The store synchronizes
/// with iCloud by itself soon after a write, and soon after another device has changed something;
/// what arrives is announced by `didChangeExternallyNotification`.
///
/// Requests can come from any thread: a lock lets them in one by one.
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
  /// Posted when keys changed that the app on this device did not change itself. The object is the
  /// store.
  public static let didChangeExternallyNotification = NSNotification.Name(
    "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

  /// The store of the default container, for the account and device of the process, or of the task
  /// that runs as another account.
  open class var `default`: NSUbiquitousKeyValueStore { ActingClient.current.keyValueStore }

  private let access: KeyValueAccess

  /// The store of the default container.
  public override convenience init() {
    self.init(ActingClient.current.defaultContainer().client)
  }

  /// The store of a container of a cloud for an account, nil for none, on a device.
  package convenience init(
    _ identifier: String, in cloud: Cloud, as account: Account?, on device: Device
  ) {
    let container = Result { () throws(CloudError) in try ContainerID(identifier) }
    self.init(Client(known: cloud, container: container, account: account, device: device))
  }

  init(_ client: Client) {
    access = KeyValueAccess(client)
    super.init()
    access.begin { [weak self] event in self?.post(event) }
  }

  private func post(_ event: KeyValueEvent) {
    NotificationCenter.default.post(
      name: Self.didChangeExternallyNotification, object: self,
      userInfo: [
        NSUbiquitousKeyValueStoreChangeReasonKey: NSNumber(value: event.reason.rawValue),
        NSUbiquitousKeyValueStoreChangedKeysKey: event.keys,
      ])
  }

  // MARK: Reading

  /// The value of a key; nil for none.
  open func object(forKey aKey: String) -> Any? { access.value(aKey)?.object }

  /// The string of a key; nil for none.
  open func string(forKey aKey: String) -> String? { object(forKey: aKey) as? String }

  /// The bytes of a key; nil for none.
  open func data(forKey aKey: String) -> Data? { object(forKey: aKey) as? Data }

  /// The list of a key; nil for none.
  open func array(forKey aKey: String) -> [Any]? { object(forKey: aKey) as? [Any] }

  /// The dictionary of a key; nil for none.
  open func dictionary(forKey aKey: String) -> [String: Any]? {
    object(forKey: aKey) as? [String: Any]
  }

  /// The integer of a key, converted from a real number or a Boolean; 0 for none.
  open func longLong(forKey aKey: String) -> Int64 {
    guard case .integer(let number)? = access.value(aKey)?.converted(to: .integer) else { return 0 }
    return number
  }

  /// The real number of a key, converted from an integer or a Boolean; 0 for none.
  open func double(forKey aKey: String) -> Double {
    guard case .double(let number)? = access.value(aKey)?.converted(to: .double) else { return 0 }
    return number
  }

  /// The Boolean of a key, converted from a number; false for none.
  open func bool(forKey aKey: String) -> Bool {
    guard case .bool(let isTrue)? = access.value(aKey)?.converted(to: .bool) else { return false }
    return isTrue
  }

  /// All keys with their values.
  open var dictionaryRepresentation: [String: Any] { access.values.mapValues(\.object) }

  // MARK: Writing

  /// Sets the value of a key, or removes it. A value that a property list cannot have, and a key
  /// that is too long, stop the process; a value beyond the quota is not stored, which a
  /// notification says.
  open func set(_ anObject: Any?, forKey aKey: String) {
    guard let anObject else { return access.set(nil, aKey) }
    guard let value = PropertyListValue(object: anObject) else {
      preconditionFailure(
        "Attempt to insert a non-property list object of \(type(of: anObject)) for key \(aKey)")
    }
    access.set(value, aKey)
  }

  /// Sets the string of a key, or removes it.
  open func set(_ aString: String?, forKey aKey: String) {
    access.set(aString.map { .string($0) }, aKey)
  }

  /// Sets the bytes of a key, or removes it.
  open func set(_ aData: Data?, forKey aKey: String) {
    access.set(aData.map { .data(Array($0)) }, aKey)
  }

  /// Sets the list of a key, or removes it.
  open func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }

  /// Sets the dictionary of a key, or removes it.
  open func set(_ aDictionary: [String: Any]?, forKey aKey: String) {
    set(aDictionary as Any?, forKey: aKey)
  }

  /// Sets the integer of a key.
  open func set(_ value: Int64, forKey aKey: String) { access.set(.integer(value), aKey) }

  /// Sets the real number of a key.
  open func set(_ value: Double, forKey aKey: String) { set(NSNumber(value: value), forKey: aKey) }

  /// Sets the Boolean of a key.
  open func set(_ value: Bool, forKey aKey: String) { access.set(.bool(value), aKey) }

  /// Removes a key.
  open func removeObject(forKey aKey: String) { access.set(nil, aKey) }

  /// Starts a synchronization with iCloud, without waiting for it. Returns whether the store can
  /// synchronize: false if no account is signed in, or the app lacks the entitlement.
  @discardableResult
  open func synchronize() -> Bool { access.startSynchronization() }
}
