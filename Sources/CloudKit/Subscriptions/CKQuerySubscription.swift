internal import Basics
internal import CloudModel
internal import CloudServices
@_exported public import Foundation

/// A subscription to the records of a type that fulfil a predicate, in the public or the private
/// database (R8.1).
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  /// Which changes send a push.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: UInt
    /// The options of a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A record is created.
    public static let firesOnRecordCreation = Options(rawValue: 1)
    /// A record changes.
    public static let firesOnRecordUpdate = Options(rawValue: 2)
    /// A record is deleted.
    public static let firesOnRecordDeletion = Options(rawValue: 4)
    /// The subscription ends with its first push.
    public static let firesOnce = Options(rawValue: 8)

    /// All changes.
    fileprivate static let allChanges: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]

    init(_ subscription: Subscription) {
      rawValue = UInt(subscription.events.rawValue) | (subscription.firesOnce ? 8 : 0)
    }
  }

  /// The condition that records must fulfil.
  public let predicate: NSPredicate
  /// Which changes send a push.
  public let querySubscriptionOptions: CKQuerySubscription.Options

  /// The type of the records.
  open var recordType: CKRecord.RecordType? { content.withLock { $0.recordType } }
  /// The zone of the records; nil for all zones of the database.
  open var zoneID: CKRecordZone.ID? {
    get { content.withLock { $0.zoneID } }
    set { content.withLock { $0.zoneID = newValue } }
  }

  /// Creates a subscription with a new name, at first to all changes. Options without a change stop
  /// the process.
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate,
    options: CKQuerySubscription.Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    self.init(
      recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString,
      options: options)
  }

  /// Creates a subscription, at first to all changes. Options without a change stop the process.
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
    options: CKQuerySubscription.Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    precondition(
      !options.isDisjoint(with: .allChanges),
      "CKQuerySubscription needs at least one of the options firesOnRecordCreation, "
        + "firesOnRecordUpdate and firesOnRecordDeletion")
    self.init(subscriptionID, Content(recordType: recordType), predicate, options)
  }

  init(_ id: String, _ content: Content, _ predicate: NSPredicate, _ options: Options) {
    (self.predicate, querySubscriptionOptions) = (predicate, options)
    super.init(id, .query, content)
  }

  override func request() throws(CloudError) -> SubscriptionRequest {
    var request = try super.request()
    request.predicate = try predicate.predicate()
    request.subscription.events = Subscription.Events(
      rawValue: Int(querySubscriptionOptions.intersection(.allChanges).rawValue))
    request.subscription.firesOnce = querySubscriptionOptions.contains(.firesOnce)
    return request
  }

  // MARK: Copying and archiving

  open override func copy(with zone: NSZone? = nil) -> Any {
    CKQuerySubscription(subscriptionID, copiedContent, predicate, querySubscriptionOptions)
  }

  private static let optionsKey = "FiresOn"
  private static let queryKey = "Query"

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(Int(querySubscriptionOptions.rawValue), forKey: Self.optionsKey)
    coder.encode(CKQuery(recordType: recordType ?? "", predicate: predicate), forKey: Self.queryKey)
  }

  /// Reads a subscription from a keyed archive.
  public required init(coder aDecoder: NSCoder) {
    let query = aDecoder.object(of: CKQuery.self, forKey: Self.queryKey)
    predicate = query?.predicate ?? NSPredicate(value: false)
    let bits = aDecoder.integer(forKey: Self.optionsKey).map { UInt(bitPattern: $0) }
    querySubscriptionOptions = bits.map { Options(rawValue: $0) } ?? .allChanges
    super.init(coder: aDecoder)
  }
}

/// A subscription to all changes of a zone of the private database (R8.1).
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  /// The zone.
  public var zoneID: CKRecordZone.ID { content.withLock { $0.zoneID } ?? .default }
  /// The type of the records; nil for all.
  open var recordType: CKRecord.RecordType? {
    get { content.withLock { $0.recordType } }
    set { content.withLock { $0.recordType = newValue } }
  }

  /// Creates a subscription with a new name.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
  }

  /// Creates a subscription.
  public convenience init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
    self.init(subscriptionID, .recordZone, Content(zoneID: zoneID))
  }

  override init(_ id: String, _ type: SubscriptionType, _ content: Content) {
    super.init(id, type, content)
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    CKRecordZoneSubscription(subscriptionID, subscriptionType, copiedContent)
  }

  /// Reads a subscription from a keyed archive.
  public required init(coder aDecoder: NSCoder) { super.init(coder: aDecoder) }
}

/// A subscription to the changes of all custom zones of the private or the shared database (R8.1).
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
  /// The type of the records; nil for all.
  open var recordType: CKRecord.RecordType? {
    get { content.withLock { $0.recordType } }
    set { content.withLock { $0.recordType = newValue } }
  }

  /// Creates a subscription with a new name.
  public convenience init() { self.init(subscriptionID: UUID().uuidString) }

  /// Creates a subscription.
  public convenience init(subscriptionID: CKSubscription.ID) {
    self.init(subscriptionID, .database, Content())
  }

  override init(_ id: String, _ type: SubscriptionType, _ content: Content) {
    super.init(id, type, content)
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    CKDatabaseSubscription(subscriptionID, subscriptionType, copiedContent)
  }

  /// Reads a subscription from a keyed archive.
  public required init(coder aDecoder: NSCoder) { super.init(coder: aDecoder) }
}
