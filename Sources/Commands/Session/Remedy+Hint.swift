internal import CloudModel

extension Remedy {
  /// The remedy as a hint on the command line: the command or option that helps.
  var hint: String {
    switch self {
    case .advice(let text): text
    case .similarName(let name): "did you mean \(name)?"
    case .allowFiles: "allow it with --allow-files DIR"
    case .makeStore: "ckdb init creates one"
    case .makeContainer(let id): "ckdb container create \(id.text) creates it"
    case .makePrivate: "ckdb doctor --repair makes it private"
    case .giveContents: "import takes the contents of assets from a directory with --assets DIR"
    case .repair: "ckdb doctor --repair rescues what can be read, and keeps the damaged files"
    case .repairCopy(let path): "'ckdb --store \(path) doctor --repair' saves what is intact"
    case .restoreAgain: "restore it again, or check it with 'ckdb doctor --repair'"
    case .finishRestore: "'ckdb doctor --repair' finishes the restore"
    case .listSnapshots: "'ckdb snapshot list' shows them"
    case .deleteSnapshot(let name): "'ckdb snapshot delete \(name.text)' removes it"
    case .signIn: "no account is signed in (--user none)"
    case .makeAvailable(let account, let status):
      "the status of account \(account.name) is \(status.name); "
        + "'ckdb account status available -u \(account.name)' changes it"
    case .purge(let account):
      "'ckdb account purge \(account.name) --public --all-containers' deletes its data"
    case .endRestriction(let account): "'ckdb account restrict \(account.name) --off' ends it"
    case .raiseQuota(let isPublic): "'ckdb account quota\(isPublic ? " -d public" : "")' sets it"
    case .assignRoles: "'ckdb user role' assigns roles"
    case .fetchUser: "'ckdb account show' prints the name for 'ckdb record fetch'"
    case .findUser: "a user's first write creates the record; 'ckdb account show' prints its name"
    case .showGrants(let operation, let type):
      "needs a role that grants \(operation) on \(type.text): see 'ckdb schema export'"
    case .changeInDevelopment: "change them in development, then 'ckdb schema deploy'"
    case .useDatabase(let scope):
      scope == .shared
        ? "zones of other users are in the shared database: -d shared"
        : "the user's own zones are in the private database: -d private"
    case .subscribeInDevelopment:
      "create such a subscription in development, then 'ckdb schema deploy'"
    case .importIntoDevelopment: "import into development, then 'ckdb schema deploy'"
    case .declareIndex(let type, let key, let index, let line):
      Self.indexHint(type, key, index, line)
    case .sortByDistance(let key): "sort by distance with --near \(key)=LAT,LON"
    case .giveVariable(let name): "set it with --variable \(name)=VALUE"
    case .giveArgument: "pass one --argument for each placeholder, in their order"
    case .takeRecordName:
      "give a record its name with --name NAME, in an import with --name-field recordName"
    case .createRole(let role, let known):
      (known.isEmpty ? "" : "roles are \(known); ")
        + "'ckdb schema role create \(role.name)' creates it"
    case .renameField(let name):
      "import it under another name with --rename \(name.text)=NAME"
    case .connect(let device): "'ckdb device online \(device.name)' reconnects it"
    case .addRemote: "'ckdb remote list' shows them; 'ckdb remote add' adds one"
    case .pullElsewhere:
      "pull it into another store, as an account of another name (--store DIR -u NAME)"
    case .giveUpCopy(let zone, let account):
      "'ckdb zone delete \(zone.text) -d shared -u \(account)' gives the copy up"
    case .pullFirst: "'ckdb pull' compares everything; then push again"
    case .skipDuplicates: "--duplicates first keeps the first record of each name"
    case .convertField(let name):
      "--type \(name.text)=STRING converts, --mismatch null leaves such values out"
    case .createShare: "'ckdb share create' saves a share with its root"
    case .acceptShare: "'ckdb share accept' accepts it"
    case .leaveShare: "'ckdb share leave SHARE' leaves it"
    case .stopShare: "'ckdb share stop SHARE' ends the share"
    case .endPublicAccess: "'ckdb share edit SHARE --public none' ends access by the URL"
    case .addAddress: "if you are invited, add the address: ckdb account edit NAME --email ADDRESS"
    case .saveBatch: "ckdb record save --from deletes records"
    case .fetchFromBeginning: "discard what was fetched before, and fetch again without --since"
    case .listNotifications: "'ckdb notification list' shows them"
    case .listFaults: "'ckdb fault list' shows them"
    case .requestedFault(let id): "injected: 'ckdb fault list' shows fault \(id)"
    }
  }

  private static func indexHint(
    _ type: RecordType, _ key: String, _ index: FieldIndexes, _ line: String?
  ) -> String {
    let command = "ckdb schema index \(type.text) \(key) --\(index.words.first?.lowercased() ?? "")"
    return line.map { "the schema needs: \($0), (\(command))" } ?? command
  }
}

extension CloudError {
  /// The hint on the command line.
  var hint: String? { remedy?.hint }
}
