internal import CommandKit

/// The command table: every noun and verb, in the order of the help. It is the only description
/// of the command line; parser, help, completion and man pages come from it.
enum Table {
  static let rows: [CommandRow<Context>] = [
    CommandRow("init", "Create a store", verb: { InitCommand.command }),
    CommandRow("container", "Create, list and delete containers") { ContainerNoun.rows },
    CommandRow("zone", "Create, list and delete record zones") { ZoneNoun.rows },
    CommandRow("record", "Save, fetch and delete records") { RecordNoun.rows },
    CommandRow("query", "Find records of a type by a predicate", verb: { QueryCommand.command }),
    CommandRow("q", "Run a saved query", verb: { NamedQueries.command }),
    CommandRow(
      "explain", "Show how a query is interpreted and executed",
      verb: { ExplainCommand.command }),
    CommandRow("predicate", "Parse, check and match predicates") { PredicateNoun.rows },
    CommandRow(
      "changes", "Fetch what changed since a token", verb: { ChangesCommand.command }),
    CommandRow("schema", "Show and change record types and fields") { SchemaNoun.rows },
    CommandRow("asset", "Store and retrieve files as assets") { AssetNoun.rows },
    CommandRow("account", "Simulate accounts and sign-in state") {
      AccountNoun.rows
    },
    CommandRow("device", "Simulate the devices of accounts") { DeviceNoun.rows },
    CommandRow("share", "Share records with other users") { ShareNoun.rows },
    CommandRow("subscription", "Subscribe to record changes") { SubscriptionNoun.rows },
    CommandRow("notification", "Inspect and watch the notifications of a device") {
      NotificationNoun.rows
    },
    CommandRow("kvs", "Use the iCloud key-value store of a device") { KeyValueNoun.rows },
    CommandRow(
      "document", "Use the documents of a device in iCloud", groups: DocumentNoun.groups
    ) { DocumentNoun.rows },
    CommandRow("user", "Manage roles, discoverability and contacts") { UserNoun.rows },
    CommandRow("import", "Import records from a file", verb: { ImportCommand.command }),
    CommandRow("export", "Export records as text", verb: { ExportCommand.command }),
    CommandRow("fixture", "Load, check and write fixtures") { FixtureNoun.rows },
    CommandRow("snapshot", "Save and restore states of the store") {
      SnapshotNoun.rows
    },
    CommandRow("diff", "Compare stores, snapshots and fixtures", verb: { DiffCommand.command }),
    CommandRow(
      "assert", "Compare the store with expected records", verb: { AssertCommand.command }),
    CommandRow(
      "exec", "Run a command with its own temporary store", verb: { ExecCommand.command }),
    CommandRow("fault", "Inject CloudKit errors") { FaultNoun.rows },
    CommandRow(
      "serve", "Serve the store as CloudKit Web Services", verb: { ServeCommand.command }),
    CommandRow("dashboard", "Open the store in the browser", verb: { DashboardCommand.command }),
    CommandRow("token", "Manage the API tokens of the server") { TokenNoun.rows },
    CommandRow("key", "Manage the server-to-server keys of the server") { KeyNoun.rows },
    CommandRow("remote", "Manage the containers of other servers") { RemoteNoun.rows },
    CommandRow("pull", "Bring a remote's records into the store", verb: { PullCommand.command }),
    CommandRow("push", "Send changed records to a remote", verb: { PushCommand.command }),
    CommandRow("cktool", "Run commands written for Apple's cktool") { CKToolNoun.rows },
    CommandRow("store", "Inspect and maintain the store") { StoreNoun.rows },
    CommandRow(
      "doctor", "Check the store for damage", verb: { StoreDoctor.command("doctor") }),
    CommandRow("use", "Save options for later commands", verb: { UseCommand.command }),
    CommandRow(
      "context", "Show the values of options and their origin", verb: { ContextCommand.command }),
    CommandRow("config", "Change settings of the terminal and define aliases") {
      ConfigNoun.rows
    },
    CommandRow("run", "Run commands from a file", verb: { RunCommand.command }),
    CommandRow("help", "Explain a command or a topic", verb: { HelpCommand.command }),
    CommandRow(
      "completion", "Print a shell's completion script", verb: { CompletionCommand.command }),
    CommandRow("version", "Print the version", verb: { VersionCommand.command }),
    CommandRow(
      "__complete", "Complete the last word", isHidden: true,
      verb: { CompleteCommand.command }),
  ]

  /// The commands grouped by purpose, in the order of the overview.
  static var groups: [CommandGroup] {
    [
      CommandGroup(
        "Records",
        ["record", "query", "q", "explain", "predicate", "changes", "asset", "import", "export"]),
      CommandGroup("Tests", ["exec", "fixture", "assert", "fault", "snapshot", "diff"]),
      CommandGroup(
        "People",
        ["account", "device", "user", "share", "subscription", "notification", "kvs", "document"]),
      CommandGroup("Server", ["serve", "dashboard", "token", "key", "remote", "pull", "push"]),
      CommandGroup("Store", ["init", "container", "zone", "schema", "store", "doctor"]),
      CommandGroup(
        "Tool", ["use", "context", "config", "run", "cktool", "help", "completion", "version"]),
    ]
  }

  /// The example command lines of the overview.
  static let overview = [
    "ckdb init && ckdb container create iCloud.com.example.app",
    "ckdb record save Note title=Milk && ckdb query Note \"title BEGINSWITH 'M'\"",
    "ckdb exec --fixture library.json -- swift test",
  ]

  /// The words of other tools, with the matching commands.
  static let synonyms = [
    "get": ["fetch", "record fetch"], "rm": ["delete", "record delete"],
    "remove": ["delete", "record delete"], "del": ["delete", "record delete"],
    "update": ["save --policy changed", "record save --policy changed"],
    "set": ["save --policy changed", "record save --policy changed"],
    "insert": ["save", "record save"], "add": ["create", "record save"],
    "new": ["create", "record save"], "tables": ["types", "schema types"],
    "describe": ["fields", "schema fields"], "ls": ["list", "record list"],
    "save": ["record save"], "fetch": ["record fetch"], "delete": ["record delete"],
    "list": ["record list"], "create": ["record save"], "put": ["save", "record save"],
    "show": ["fetch", "record fetch"], "count": ["query --count"], "find": ["query"],
    "select": ["query"], "where": ["query"], "dump": ["export"],
    "load": ["import"],
    "--alert-body": ["--alert"], "--body": ["--alert"], "--order-by": ["--sort"],
    "--order": ["--sort"], "--sort-by": ["--sort"], "--filter": ["--where", "PREDICATE"],
    "--where": ["PREDICATE"], "--predicate": ["--where", "PREDICATE"], "--output": ["--format"],
    "-o": ["--format"], "--out": ["--output"], "--file": ["--output"], "--type": ["TYPE"],
    "--name": ["NAME"], "--id": ["--name", "NAME"], "--env": ["--environment"],
    "--db": ["--database"], "--account": ["--user"], "--max": ["--limit"],
    "--results-limit": ["--limit"], "--fix": ["--repair"], "--force": ["--yes"],
    "--desired-keys": ["--fields"],
  ]
}
