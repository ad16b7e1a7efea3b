extension Table {
  /// The related commands and help topics of a command path: those of the verb, or else of its
  /// noun.
  static func seeAlso(_ path: [String]) -> [String] {
    related[path.joined(separator: " ")] ?? related[path[0]]?.filter {
      $0 != path.joined(separator: " ")
    }
      ?? []
  }

  private static let related: [String: [String]] = [
    "init": ["container create", "store", "files"],
    "container": ["zone", "schema", "environment"],
    "zone": ["changes", "record list", "use"],
    "record": ["fields", "query", "errors"],
    "record fetch": ["query", "record tree", "formats"],
    "record list": ["query", "record tree", "formats"],
    "record tree": ["record fetch", "query", "fields"],
    "record delete": ["record save", "predicates", "differences"],
    "query": ["predicates", "formats", "explain"],
    "q": ["query", "config"],
    "explain": ["predicates", "query", "store index"],
    "predicate": ["predicates", "query", "schema check"],
    "changes": ["zone", "errors", "store compact"],
    "schema": ["rules", "fixture check", "differences"],
    "schema check": ["schema diff", "fixture check", "predicate check"],
    "schema index": ["predicates", "store index", "schema show"],
    "schema grant": ["user role", "schema role", "schema revoke", "schema show"],
    "schema role": ["schema grant", "user role", "schema deploy"],
    "schema revoke": ["user role", "schema grant", "schema show"],
    "asset": ["fields", "store", "limits"],
    "account": ["device", "user", "limits"],
    "account sign-in": ["device", "account sign-out", "errors"],
    "device": ["account sign-in", "account", "options"],
    "user": ["account", "rules"],
    "share": ["account", "record tree", "changes"],
    "subscription": ["notification", "predicates", "device"],
    "notification": ["subscription", "device", "assert"],
    "kvs": ["device", "account sign-in", "limits"],
    "kvs sync": ["kvs policy", "kvs events", "device"],
    "kvs export": ["kvs import", "kvs list", "formats"],
    "kvs limits": ["kvs usage", "limits", "differences"],
    "document": ["device", "kvs", "account"],
    "document sync": ["document conflicts", "document watch", "device"],
    "user role": ["schema grant", "account"],
    "import": ["fields", "export", "fixtures"],
    "export": ["formats", "import", "fixture export"],
    "fixture": ["fixtures", "exec", "assert"],
    "snapshot": ["diff", "store backup", "fixture export"],
    "diff": ["assert", "snapshot", "schema diff"],
    "assert": ["fixtures", "exec", "diff"],
    "exec": ["fixtures", "assert", "fault"],
    "fault": ["errors", "exit-codes", "exec"],
    "cktool": ["schema", "query", "differences"],
    "store": ["files", "doctor", "environment"],
    "store index": ["schema index", "explain"],
    "doctor": ["store", "store backup", "exit-codes"],
    "use": ["context", "options", "environment"],
    "context": ["use", "config", "environment"],
    "config": ["prompt", "files", "use"],
    "run": ["scripting", "exec", "prompt"],
    "help": ["options", "rules"],
    "completion": ["prompt", "files"],
    "version": ["help"],
    "begin": ["prompt", "commit", "rollback"],
    "commit": ["prompt", "begin"],
    "rollback": ["prompt", "begin"],
  ]
}
