internal import CloudModel
@_exported public import Foundation

/// A user as others see one (R11.3.6).
public final class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// How a user is looked up: by an e-mail address, a phone number or a record name.
  public typealias LookupInfo = CKUserIdentityLookupInfo

  /// The record of the user; nil for a person without an account.
  public let userRecordID: CKRecord.ID?
  /// What the user was looked up by; nil if that is not known.
  public let lookupInfo: LookupInfo?
  /// The name of the user; nil if it is not known.
  public let nameComponents: PersonNameComponents?
  /// Whether the user has an account.
  public let hasiCloudAccount: Bool
  /// The contacts of the user in an address book: none here.
  public var contactIdentifiers: [String] { [] }

  /// A user as the service knows one; the current `user` has the name of the current user.
  init(_ identity: UserIdentity, found lookupInfo: LookupInfo?, as user: UserRecordName? = nil) {
    userRecordID = identity.userRecordName.map { name in
      let isOwn = name == user
      return CKRecord.ID(
        isOwn ? RecordName(stored: CKCurrentUserDefaultName) : RecordName(name), in: .default)
    }
    self.lookupInfo = lookupInfo
    hasiCloudAccount = identity.hasAccount
    var name = PersonNameComponents()
    (name.givenName, name.familyName) = (identity.givenName, identity.familyName)
    nameComponents = identity.givenName == nil && identity.familyName == nil ? nil : name
  }

  private init(_ userRecordID: CKRecord.ID?, hasAccount: Bool) {
    (self.userRecordID, hasiCloudAccount) = (userRecordID, hasAccount)
    (lookupInfo, nameComponents) = (nil, nil)
  }

  /// A person without a known identity.
  static let unknown = CKUserIdentity(nil, hasAccount: false)
  /// The current user, before the service is asked.
  static let current = CKUserIdentity(
    CKRecord.ID(recordName: CKCurrentUserDefaultName), hasAccount: true)

  // MARK: Copying and archiving

  /// Returns the identity itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let userRecordID = "UserRecordID"
    static let lookupInfo = "LookupInfo"
    static let givenName = "GivenName"
    static let familyName = "FamilyName"
    static let hasAccount = "HasICloudAccount"
  }

  /// Writes the identity to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(userRecordID, forKey: Key.userRecordID)
    coder.encode(lookupInfo, forKey: Key.lookupInfo)
    coder.encode(nameComponents?.givenName as NSString?, forKey: Key.givenName)
    coder.encode(nameComponents?.familyName as NSString?, forKey: Key.familyName)
    coder.encode(hasiCloudAccount, forKey: Key.hasAccount)
  }

  /// Reads an identity from a keyed archive.
  public init?(coder: NSCoder) {
    userRecordID = coder.object(of: CKRecord.ID.self, forKey: Key.userRecordID)
    lookupInfo = coder.object(of: LookupInfo.self, forKey: Key.lookupInfo)
    hasiCloudAccount = coder.bool(forKey: Key.hasAccount)
    var name = PersonNameComponents()
    name.givenName = coder.string(forKey: Key.givenName)
    name.familyName = coder.string(forKey: Key.familyName)
    nameComponents = name.givenName == nil && name.familyName == nil ? nil : name
  }

  /// Whether it is the same user.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentity else { return false }
    return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
  }

  public override var hash: Int { userRecordID?.hash ?? lookupInfo?.hash ?? 0 }
}

/// How a user is looked up (`CKUserIdentity.LookupInfo`).
public final class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The e-mail address; nil for none.
  public let emailAddress: String?
  /// The phone number; nil for none.
  public let phoneNumber: String?
  /// The record of the user; nil for none.
  public let userRecordID: CKRecord.ID?

  /// Looks a user up by e-mail address.
  public init(emailAddress: String) {
    (self.emailAddress, phoneNumber, userRecordID) = (emailAddress, nil, nil)
  }

  /// Looks a user up by phone number.
  public init(phoneNumber: String) {
    (emailAddress, self.phoneNumber, userRecordID) = (nil, phoneNumber, nil)
  }

  /// Looks a user up by record name.
  public init(userRecordID: CKRecord.ID) {
    (emailAddress, phoneNumber, self.userRecordID) = (nil, nil, userRecordID)
  }

  /// Looks users up by their e-mail addresses.
  public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentity.LookupInfo] {
    emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
  }

  /// Looks users up by their phone numbers.
  public class func lookupInfos(
    withPhoneNumbers phoneNumbers: [String]
  ) -> [CKUserIdentity.LookupInfo] {
    phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
  }

  /// Looks users up by their record names.
  public class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentity.LookupInfo] {
    recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
  }

  // MARK: Copying and archiving

  /// Returns the lookup itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Lookups can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let emailAddress = "EmailAddress"
    static let phoneNumber = "PhoneNumber"
    static let userRecordID = "UserRecordID"
  }

  /// Writes the lookup to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(emailAddress as NSString?, forKey: Key.emailAddress)
    coder.encode(phoneNumber as NSString?, forKey: Key.phoneNumber)
    coder.encode(userRecordID, forKey: Key.userRecordID)
  }

  /// Reads a lookup from a keyed archive.
  public init?(coder: NSCoder) {
    emailAddress = coder.string(forKey: Key.emailAddress)
    phoneNumber = coder.string(forKey: Key.phoneNumber)
    userRecordID = coder.object(of: CKRecord.ID.self, forKey: Key.userRecordID)
  }

  /// Whether it looks up the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentityLookupInfo else { return false }
    return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
      && userRecordID == other.userRecordID
  }

  public override var hash: Int {
    emailAddress?.hashValue ?? phoneNumber?.hashValue ?? userRecordID?.hash ?? 0
  }
}
