internal import Basics

/// What the caller can do about an error or a finding.
///
/// The layers below the surface know the facts; each surface (the command line, a server) has its
/// own words for them.
public enum Remedy: Sendable, Equatable {
  /// Words that fit every surface.
  case advice(String)
  /// The known name that was probably meant.
  case similarName(String)

  // MARK: The store

  /// Make a store.
  case makeStore
  /// Make a container.
  case makeContainer(ContainerID)
  /// Take away the rights that others have on the store's files.
  case makePrivate
  /// Save what can be read of damaged files.
  case repair
  /// Restore the snapshot once more, or check what there is: a restore did not reach the disk.
  case restoreAgain
  /// Finish a restore: what was there before is not the snapshot `previous` yet.
  case finishRestore
  /// Look at the snapshots that there are.
  case listSnapshots
  /// Delete a damaged snapshot.
  case deleteSnapshot(SnapshotName)

  // MARK: Accounts

  /// Sign in.
  case signIn
  /// Make an account available that has another status.
  case makeAvailable(Account, AccountStatus)
  /// Delete an account's data first.
  case purge(Account)
  /// End the restriction of an account's data.
  case endRestriction(Account)
  /// Raise the quota of the public database, or of the account.
  case raiseQuota(isPublic: Bool)
  /// Assign roles to users: the field `roles` is not a caller's to write.
  case assignRoles
  /// Fetch the record of a user by its name: queries do not find it.
  case fetchUser
  /// Let the first write of a user make his record.
  case findUser
  /// Look at what the roles of a type grant.
  case showGrants(operation: String, RecordType)

  /// Connect the device.
  case connect(Device)

  // MARK: Schema and queries

  /// Change it in development, and deploy.
  case changeInDevelopment
  /// Import the schema into development, and deploy.
  case importIntoDevelopment
  /// Declare an index of a field or a system field; with the line that the schema needs.
  case declareIndex(RecordType, key: String, FieldIndexes, line: String? = nil)
  /// Sort by the distance to a place.
  case sortByDistance(from: String)
  /// Give a value for a variable of the predicate.
  case giveVariable(String)
  /// Give an argument for a placeholder of the predicate.
  case giveArgument

  // MARK: Records and changes

  /// Take the field `recordName` of imported records for their names.
  case takeRecordName
  /// Import a field under another name.
  case renameField(FieldName)
  /// Keep the first of several records of one name.
  case skipDuplicates
  /// Convert a field's values while they are imported, or leave them out.
  case convertField(FieldName)
  /// Share a record, which makes the share.
  case createShare
  /// Accept the share.
  case acceptShare
  /// Leave the share: it is somebody else's.
  case leaveShare
  /// End the share: it is one's own.
  case stopShare
  /// Set the public permission to none.
  case endPublicAccess
  /// Add the address of the invitation to the account.
  case addAddress
  /// Save the records in a batch, which can delete others.
  case saveBatch
  /// Forget what was fetched, and fetch all changes again.
  case fetchFromBeginning

  /// Look at the notifications that the device has.
  case listNotifications

  // MARK: Faults

  /// Look at the faults that were requested.
  case listFaults
  /// Nothing: the error was requested.
  case requestedFault(Int)

  /// The known name nearest to a mistyped one; nil if none is near.
  public static func nearest(
    to name: String, among known: some Sequence<String>
  ) -> Remedy? {
    Suggestion.nearest(to: name, among: known).map { .similarName($0) }
  }
}

extension Remedy: ExpressibleByStringInterpolation {
  /// Advice in words that fit every surface.
  public init(stringLiteral value: String) { self = .advice(value) }
}
