internal import Basics

/// A remedy for an error or a finding.
///
/// The lower layers know the facts; each surface (the command line, a server) words them itself.
public enum Remedy: Sendable, Equatable {
  /// Text that suits every surface.
  case advice(String)
  /// The known name that was probably meant.
  case similarName(String)

  // MARK: The store

  /// Allow fixtures to use the files of a further directory.
  case allowFiles
  /// Create a store.
  case makeStore
  /// Create a container.
  case makeContainer(ContainerID)
  /// Remove other users' access to the store's files.
  case makePrivate
  /// Save the readable part of damaged files.
  case repair
  /// Give the contents of an asset along with its hash.
  case giveContents
  /// Restore the snapshot again, or check the store: a restore did not reach the disk.
  case restoreAgain
  /// Finish a restore: the previous state is not the snapshot `previous` yet.
  case finishRestore
  /// List the snapshots.
  case listSnapshots
  /// Repair a damaged copy of the store, by its path, as a store of its own.
  case repairCopy(String)
  /// Delete a damaged snapshot.
  case deleteSnapshot(SnapshotName)

  // MARK: Accounts

  /// Sign in.
  case signIn
  /// Make an account available whose status is not `available`.
  case makeAvailable(Account, AccountStatus)
  /// Delete an account's data first.
  case purge(Account)
  /// End the restriction of an account's data.
  case endRestriction(Account)
  /// Add a remote.
  case addRemote
  /// Pull before the next push.
  case pullFirst
  /// Pull into another store, as an account with another name.
  case pullElsewhere
  /// Delete the copy of a zone, as the account that uses it.
  case giveUpCopy(ZoneID, account: String)
  /// Raise the quota of the public database, or of the account.
  case raiseQuota(isPublic: Bool)
  /// Assign roles to users: callers cannot write the field `roles`.
  case assignRoles
  /// Fetch a user's record by its name: queries do not find it.
  case fetchUser
  /// Let a user's first write create the record.
  case findUser
  /// Show the grants of a type.
  case showGrants(operation: String, RecordType)

  /// Connect the device.
  case connect(Device)

  /// Use the database that has the zone.
  case useDatabase(DatabaseScope)

  // MARK: Schema and queries

  /// Change it in development, and deploy.
  case changeInDevelopment
  /// Create such a subscription in development, and deploy.
  case subscribeInDevelopment
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

  /// Use the field `recordName` of imported records as their names.
  case takeRecordName
  /// Create a role, or use one of those that the schema has, in words, or of every schema.
  case createRole(SecurityRole, known: String)
  /// Import a field under another name.
  case renameField(FieldName)
  /// Keep the first of several records with the same name.
  case skipDuplicates
  /// Convert a field's values during the import, or drop them.
  case convertField(FieldName)
  /// Share a record, which creates the share.
  case createShare
  /// Accept the share.
  case acceptShare
  /// Leave the share, which belongs to another user.
  case leaveShare
  /// Stop the user's own share.
  case stopShare
  /// Set the public permission to none.
  case endPublicAccess
  /// Add the address of the invitation to the account.
  case addAddress
  /// Save the records in a batch, which may also delete records.
  case saveBatch
  /// Discard what was fetched, and fetch all changes again.
  case fetchFromBeginning

  /// List the device's notifications.
  case listNotifications

  // MARK: Faults

  /// List the injected faults.
  case listFaults
  /// No remedy: the error was injected.
  case requestedFault(Int)

  /// The known name nearest to a mistyped one; nil if none is near.
  public static func nearest(
    to name: String, among known: some Sequence<String>
  ) -> Remedy? {
    Suggestion.nearest(to: name, among: known).map { .similarName($0) }
  }
}

extension Remedy: ExpressibleByStringInterpolation {
  /// Advice that suits every surface.
  public init(stringLiteral value: String) { self = .advice(value) }
}
