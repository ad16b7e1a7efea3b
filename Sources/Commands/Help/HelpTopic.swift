internal import CloudModel

/// A page of help on a topic.
struct HelpTopic: Sendable {
  let name: String
  let text: String

  /// What 'ckdb help' explains besides commands; 'rules' is the catalogue of rules.
  static let names = all.map(\.name) + ["rules"]

  static let all: [HelpTopic] = [
    HelpTopic(
      name: "environment",
      text: """
        Every global option has an environment variable: CKDB_STORE, CKDB_CONTAINER, \
        CKDB_ENVIRONMENT, CKDB_DATABASE, CKDB_ZONE, CKDB_USER, CKDB_DEVICE, CKDB_FORMAT, \
        CKDB_CLOCK, CKDB_SEED, CKDB_STRICT, CKDB_WAIT. An option overrides its variable, the \
        variable overrides what 'ckdb use' saved, and that overrides the default. 'ckdb context' \
        shows each value and its origin. CKDB_HISTORY names the prompt's history file instead of \
        $XDG_STATE_HOME/ckdb/history; 'ckdb exec' caches loaded fixtures in \
        $XDG_CACHE_HOME/ckdb. NO_COLOR disables color.
        """),
    HelpTopic(
      name: "errors",
      text: """
        An error names the CKError that an app would get, with its number and the server's \
        sub-code; with a JSON format the error is an object. The codes and their exit codes:
        \(CloudError.Code.allCases.map(row).joined(separator: "\n"))
        """),
    HelpTopic(
      name: "exit-codes",
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
        """),
    HelpTopic(
      name: "fixtures",
      text: """
        A fixture is a JSON object. All its keys but databases may be left out: container, \
        schema (a schema file), clock, seed, defaults ({TYPE: {FIELD: value}}) and databases:
        {"private": {"zones": {"_defaultZone": {"records": [
          {"recordName": "b1", "recordType": "Book", "fields": {"pages": 255}}]}}}}
        A record may have a parent. An XML property list has the same structure; JSON Lines, \
        csv, tsv and a JSON array contain records only, of the type in the file's name or in \
        recordType. All files of a directory are one fixture; subdirectories are ignored, since \
        they contain assets.
        Values are those of 'ckdb help formats' json, or {"value": ..., "type": "TIMESTAMP"}. \
        TIMESTAMP fields also accept now, now-3d, now+1h30m (ms, s, m, h, d, w). An asset is \
        {"file": "path"}, relative to the fixture's file, {"text": "..."}, {"base64": "..."} or \
        {"random": 2048}. A reference is {"recordName": "b1", "action": "DELETE_SELF"}; \
        "dangling": true allows a missing target.
        For 'ckdb assert' an expected value may be {"any": true}, {"approximately": 3.14, \
        "within": 0.01}, {"matches": "regular expression"} or {"sha256": "..."}.
        """),
    HelpTopic(
      name: "formats",
      text: """
        table fits the terminal; line has one field per line; json is one array, jsonl one object \
        per line, page an object with records and cursor; wire is the record dictionary of \
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
        CloudKit accepts a subset: 'ckdb predicate check' reports what it would reject, and why. \
        Such a query runs with a warning, and fails with --strict. CloudKit also rejects queries \
        without declared indexes: 'ckdb schema index' declares them.
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

        When a command reports success, its changes are on the disk. After a kill, a power loss \
        or a full disk the store has all changes of a command or none. 'ckdb doctor --deep' reads \
        everything and reports damage by failing disks or other programs; 'ckdb doctor --repair' \
        builds a sound store from what can be read, and keeps the files that it replaces.
        """),
  ]

  private static func row(_ code: CloudError.Code) -> String {
    let facts = code.facts
    let number = facts.serverCode.map { "\(code.rawValue)/\($0)" } ?? "\(code.rawValue)"
    return "\(number) \(facts.name): exit \(code.exitCode.rawValue)"
  }
}
