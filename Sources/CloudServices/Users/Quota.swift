public import CloudModel
internal import RecordStore

extension CloudDatabase {
  /// Throws `quotaExceeded` (R1.3.17) if the database has grown beyond its quota: its user's for a
  /// private database, the container's for the public one, the owner's for a shared zone (R10.3.9).
  func requireRoom(for writer: StoredUser, in zones: [StoredZone]) throws {
    guard scope == .shared else {
      return try requireRoom(for: writer, quota, of: environment.request.account)
    }
    for zone in zones {
      let place = try store.place(of: zone)
      try requireRoom(
        for: place.owner, environment.owner.quota(of: place.account), of: place.account)
    }
  }

  /// Checks one quota; documents count towards their account's.
  private func requireRoom(
    for writer: StoredUser, _ quota: Int64?, of account: Account?
  ) throws {
    guard let quota else { return }
    let isPublic = scope == .public
    var bytes = try isPublic ? store.publicBytes() : store.quotaBytes(of: writer)
    bytes += store.pendingBytes
    if !isPublic, let account {
      bytes += try environment.owner.documentBytes(
        of: account, in: environment.container, for: environment.request)
    }
    guard bytes > quota else { return }
    throw CloudError(
      .quotaExceeded,
      "Saving would exceed the \(isPublic ? "public database" : "user")'s quota: "
        + "\(bytes) of \(quota) bytes",
      remedy: .raiseQuota(isPublic: isPublic))
  }
}

extension CloudEnvironment {
  /// The size of an account's private database; nil if it has never written here.
  public func size(
    of account: Account
  ) throws(CloudError) -> (zones: Int64, records: Int64, bytes: Int64)? {
    try read {
      guard let user = try store.user(account, on: .cli) else { return nil }
      let zones = try store.zones(.private, of: user)
      return (
        Int64(zones.count), zones.reduce(0) { $0 + Int64($1.zone.recordCount) },
        try store.quotaBytes(of: user)
      )
    }
  }
}
