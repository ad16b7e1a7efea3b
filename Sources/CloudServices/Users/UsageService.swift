internal import Basics
public import CloudModel
internal import RecordStore

/// What a database stores.
public struct DatabaseUsage: Sendable {
  /// The account whose private database it is; nil for the public database.
  public let account: Account?
  /// The number of its records.
  public let records: Int64
  /// The bytes that count towards its quota, with those of the account's documents.
  public let bytes: Int64
  /// The quota in bytes; nil for no limit.
  public let quota: Int64?
}

extension CloudEnvironment {
  /// The number of the environment's last change.
  public func lastChangeNumber() throws(CloudError) -> Int64 {
    try read { try store.lastStoredSequence() }
  }

  /// What the databases store: the public one, then those of accounts that have written here, in
  /// byte order of the accounts.
  public func databaseUsage() throws(CloudError) -> [DatabaseUsage] {
    let (records, bytes) = try read {
      let zones = try store.zones(.public, of: nil)
      return (zones.reduce(0) { $0 + Int64($1.zone.recordCount) }, try store.publicBytes())
    }
    let open = DatabaseUsage(
      account: nil, records: records, bytes: bytes, quota: try owner.publicQuota(of: container))
    var all = [open]
    for account in try owner.accounts(for: request) {
      if let own = try usage(of: account) { all.append(own) }
    }
    return all
  }

  /// What an account's private database stores; nil if the account has never written here.
  public func usage(of account: Account) throws(CloudError) -> DatabaseUsage? {
    guard let size = try size(of: account) else { return nil }
    let documents = try owner.documentBytes(of: account, in: container, for: request)
    return DatabaseUsage(
      account: account, records: size.records, bytes: size.bytes + documents,
      quota: try owner.quota(of: account))
  }

  /// The existing records by the day of their creation and their creator. It reads all records.
  public func creationCounts() throws(CloudError) -> [CreationCount] {
    try read { try store.creationCounts() }
  }
}
