internal import CloudModel

/// A page of help that is about no single command.
struct HelpTopic: Sendable {
  let name: String
  let text: String

  /// What 'ckdb help' explains besides commands; 'rules' is the catalogue of rules.
  static let names = all.map(\.name) + ["rules"]

  static let all: [HelpTopic] = [
    HelpTopic(
      name: "environment",
      text: """
        Every global option has a variable: CKDB_STORE, CKDB_CONTAINER, CKDB_ENVIRONMENT, \
        CKDB_DATABASE, CKDB_ZONE, CKDB_USER, CKDB_DEVICE, CKDB_FORMAT, CKDB_CLOCK, CKDB_SEED, \
        CKDB_STRICT, CKDB_WAIT. An option wins over its variable, the variable over what \
        'ckdb use' saved, and that over the default. 'ckdb context' shows each value and where \
        it came from. CKDB_HISTORY names the file of the prompt's history, in place of \
        $XDG_STATE_HOME/ckdb/history; fixtures that 'ckdb exec' has loaded are kept in \
        $XDG_CACHE_HOME/ckdb. NO_COLOR turns colours off.
        """),
    HelpTopic(
      name: "errors",
      text: """
        A refusal tells the CKError that an app would get, with its number and the server's \
        sub-code; with a JSON format it is an object, too. The codes, each with its exit code:
        \(CloudError.Code.allCases.map(row).joined(separator: "\n"))
        """),
    HelpTopic(
      name: "exit-codes",
      text: """
        0 done, or the answer is yes
        1 the answer is no, or what was named is not there
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
        """),
    HelpTopic(
      name: "fixtures",
      text: """
        A fixture is a JSON object. All its keys but databases may be left out: container, \
        schema (a schema file), clock, seed, defaults ({TYPE: {FIELD: value}}) and databases:
        {"private": {"zones": {"_defaultZone": {"records": [
          {"recordName": "b1", "recordType": "Book", "fields": {"pages": 255}}]}}}}
        A record may have a parent. An XML property list says the same; JSON Lines, csv, tsv and \
        a JSON list hold records alone, of the type that the file is named after or that \
        recordType says. All files of a directory are one fixture; \
        directories below it are not looked into, as they hold the contents of assets.
        Values are those of 'ckdb help formats' json, or {"value": ..., "type": "TIMESTAMP"}. In \
        TIMESTAMP fields stands also now, now-3d, now+1h30m (ms, s, m, h, d, w). An asset is \
        {"file": "path"}, relative to the file that says so, {"text": "..."}, {"base64": "..."} or \
        {"random": 2048}. A reference is {"recordName": "b1", "action": "DELETE_SELF"}; \
        "dangling": true allows one that leads nowhere.
        In what 'ckdb assert' expects, a value may be {"any": true}, {"approximately": 3.14, \
        "within": 0.01}, {"matches": "regular expression"} or {"sha256": "..."}.
        """),
    HelpTopic(
      name: "formats",
      text: """
        table fits the terminal; line has one field a line; json is one array, jsonl an object \
        a line, page an object with records and cursor; wire is the record dictionary of \
        CloudKit Web Services; csv and tsv have a header line; names prints record names, raw \
        the bare value of one --fields name. The default is table on a terminal and tsv \
        in a pipe.
        """),
    HelpTopic(
      name: "predicates",
      text: """
        Comparisons: == != < <= > >= BETWEEN {a, b}, IN {a, b}, BEGINSWITH, ENDSWITH, CONTAINS, \
        LIKE with * and ?, MATCHES with a regular expression, each with options: [c] ignores \
        case, [d] diacritics; joined by AND, OR, NOT and parentheses; TRUEPREDICATE and \
        FALSEPREDICATE; ANY, ALL and NONE list == x ask a list's members; nil tests for a \
        missing value.
        Literals: 'text', 12, 1.5, TRUE, nil, ref('name'), date('2024-05-01T12:00:00Z'), \
        location(51.5, -0.12). %@ and %K are filled by --argument, $x by --variable.
        Paths: artist.name follows a reference, artists.name a list of them.
        Arithmetic: + - * / ** and functions as sum, min, max, average, median, sqrt, floor, \
        abs, uppercase, length; CAST(x, 'NSDate') is seconds since 2001; TERNARY(p, a, b).
        Lists: x[FIRST], x[LAST], x[0], x.@count, x.@sum, x.@min, x.@max, x.@avg; \
        SUBQUERY(list, $x, p) gives the members that p is true for. now() is the moment of the \
        query.
        Words: SELF CONTAINS 'blue sea' finds either word in any text, whatever case and \
        diacritics; ALL tokenize('blue sea', 'Cdl') IN allTokens wants both.
        Places: distanceToLocation:fromLocation:(field, location(51.5, -0.12)) < 1000 is in \
        metres.
        CloudKit takes less: 'ckdb predicate check' says what it would refuse, and why. A \
        query that it would refuse runs with a warning, and fails with --strict. Without \
        declared indexes it refuses, too: 'ckdb schema index' declares them.
        Keys of every record: recordName, creationDate, modificationDate, creatorUserRecordID, \
        lastModifiedUserRecordID, parent, share. A field whose name is a reserved word is \
        written #name.
        """),
    HelpTopic(
      name: "storage",
      text: """
        A store is a directory: store.json, and containers/ID/ENVIRONMENT with records.sqlite, \
        a lock, and the contents of assets under their SHA-256. Copying an environment's folder \
        while nobody writes is a backup, and so is 'ckdb store backup'; 'ckdb schema reset' \
        empties an environment. The sqlite3 shell reads the database with -readonly.

        What a command said that it saved is on the disk, whatever happens then: kills, power \
        losses and full disks leave all of a command or nothing. 'ckdb doctor --deep' reads \
        everything and tells what a failing disk or another program has done; 'ckdb doctor \
        --repair' makes a sound store of what can be read, and keeps what it replaces.
        """),
  ]

  private static func row(_ code: CloudError.Code) -> String {
    let facts = code.facts
    let number = facts.serverCode.map { "\(code.rawValue)/\($0)" } ?? "\(code.rawValue)"
    return "\(number) \(facts.name): exit \(code.exitCode.rawValue)"
  }
}
