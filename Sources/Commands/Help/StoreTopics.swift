internal import CloudModel

// Topics on the store, its limits and its errors.

extension HelpTopic {
  static let store: [HelpTopic] = [
    HelpTopic(
      "store", "what a store contains",
      seeAlso: ["files", "tables", "store", "doctor", "environment"],
      text: """
        A store is a directory: store.json, and containers/ID/ENVIRONMENT with records.sqlite, \
        a lock, and the contents of assets under their SHA-256. Copying an environment's folder \
        while no process writes to it is a backup, and so is 'ckdb store backup'; 'ckdb schema \
        reset' empties an environment. \
        'ckdb help tables' describes the database for the sqlite3 shell.

        When a command reports success, its changes are on the disk. After a kill, a power loss \
        or a full disk the store has all changes of a command or none. 'ckdb doctor --deep' reads \
        everything and reports damage by failing disks or other programs; 'ckdb doctor --repair' \
        builds a sound store from what can be read, and keeps the files that it replaces.
        """),
    HelpTopic(
      "files", "the files that ckdb reads and writes",
      seeAlso: ["store", "config", "environment"],
      text: """
          .ckdb                               a store: in the working directory or above it
          $XDG_DATA_HOME/ckdb                 the default store, else ~/.local/share/ckdb
          $XDG_CONFIG_HOME/ckdb/config.json   settings of the terminal and aliases ('ckdb config')
          $XDG_STATE_HOME/ckdb/history        the prompt's history, or what CKDB_HISTORY names
          $XDG_CACHE_HOME/ckdb/fixtures       stores that 'exec' made of fixtures, the newest 16

        In a store:
          store.json                        saved options, accounts, named queries, faults
          containers/people.json            names, addresses, contacts and devices of accounts
          containers/ID/ENVIRONMENT/        records.sqlite, its lock, contents of assets
          containers/ID/ubiquity/           ubiquity.sqlite: key-value store and documents
          snapshots/                        saved states

        Deleting the cache is safe. Copy a store with 'ckdb store backup' while it is in use.
        """),
    HelpTopic(
      "environment", "environment variables",
      seeAlso: ["options", "files", "context"],
      text: """
        Every global option has an environment variable: CKDB_STORE, CKDB_CONTAINER, \
        CKDB_ENVIRONMENT, CKDB_DATABASE, CKDB_ZONE, CKDB_USER, CKDB_DEVICE, CKDB_FORMAT, \
        CKDB_CLOCK, CKDB_SEED, CKDB_STRICT, CKDB_WAIT, CKDB_DATES, CKDB_PROGRESS. An option \
        overrides its variable, the variable overrides what 'ckdb use' saved, and that overrides \
        the default. 'ckdb context' \
        shows each value and its origin. CKDB_HISTORY names the prompt's history file instead of \
        $XDG_STATE_HOME/ckdb/history; 'ckdb exec' caches loaded fixtures in \
        $XDG_CACHE_HOME/ckdb. NO_COLOR disables color, CLICOLOR_FORCE enables it in pipes. \
        PAGER, VISUAL and EDITOR are the prompt's programs.
        """),
    HelpTopic(
      "errors", "errors by CKError",
      seeAlso: ["exit-codes", "fault add", "rules"],
      text: """
        An error names the CKError that an app would get, with its number and the server's \
        sub-code; with a JSON format the error is an object. The codes and their exit codes:
        \(CloudError.Code.allCases.map(row).joined(separator: "\n"))
        """),
    HelpTopic(
      "exit-codes", "exit codes",
      seeAlso: ["errors", "scripting"],
      text: """
        0 success, or the answer is yes
        1 the answer is no, or a named item does not exist
        3 some items failed
        64 bad command line
        65 bad data, or refused by a rule or a limit
        66 named input missing or unreadable
        69 remote not available
        70 internal error
        73 cannot create
        74 input-output error, disk full
        75 try again later
        76 conflict: the record changed
        77 not permitted, nobody signed in
        78 no store, no container chosen, or the store is damaged
        130 interrupted; everything was rolled back
        143 terminated; everything was rolled back
        """),
    HelpTopic(
      "limits", "limits that ckdb enforces",
      seeAlso: ["errors", "rules", "account quota"],
      text: """
          Records of one operation   \(Limits.operationItems) (import has no such limit)
          Size of one operation      \(Limits.operationSize >> 20) MB without assets
          Size of a record           \(Limits.recordSize >> 20) MB without assets
          Size of an asset           \(Limits.assetSize >> 20) MB: a warning, an error with --strict
          Record name                \(Limits.nameLength) bytes of ASCII
          Type or field name         \(Limits.identifierLength) characters
          References to a record     \(Limits.owners) with DELETE_SELF; others have no limit
          Participants of a share    \(Limits.participants), with the owner
          Page of a query            \(Limits.queryPage) records by default
          Length of a predicate      \(Limits.predicateLength >> 10) KB
          Depth of a predicate       \(Limits.predicateDepth) levels
          Values in a predicate      \(Limits.predicateValues); CloudKit takes 250 in an IN
          Keys of a key-value store  \(KeyValueLimits.seed.keys); 'ckdb kvs limits' shows all limits
          Line of JSON Lines         64 MB; a file that is read as a whole, 256 MB

        A limit of CloudKit fails with limitExceeded (27) or the code that CloudKit uses, exit \
        code 65. 'ckdb account quota' limits what an account may store.
        """),
  ]

  private static func row(_ code: CloudError.Code) -> String {
    let facts = code.facts
    let number = facts.serverCode.map { "\(code.rawValue)/\($0)" } ?? "\(code.rawValue)"
    return "\(number) \(facts.name): exit \(code.exitCode.rawValue)"
  }
}
