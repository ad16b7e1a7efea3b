/// Maps names of CloudKit's API, and everyday words, to commands and topics.
enum HelpWords {
  /// The command path or topic for a word; nil if it is unknown.
  static func path(for word: String) -> [String]? {
    let key = word.lowercased().filter { $0 != "-" && $0 != " " }
    return (api[key] ?? subjects[key])?.split(separator: " ").map(String.init)
  }

  /// All words, in lower case.
  static var all: [String] { Array(api.keys) + Array(subjects.keys) }

  /// The names of the API, in lower case.
  static var apiNames: [String] { Array(api.keys) }

  private static let api = [
    "ckcontainer": "container", "ckdatabase": "options", "ckrecord": "record save",
    "ckrecordid": "record fetch", "ckrecordvalue": "fields", "ckreference": "fields",
    "ckasset": "asset put", "cllocation": "fields", "ckerror": "errors",
    "ckmodifyrecordsoperation": "record save", "ckfetchrecordsoperation": "record fetch",
    "ckquery": "query", "ckqueryoperation": "query", "nspredicate": "predicates",
    "nssortdescriptor": "query", "cklocationsortdescriptor": "query",
    "ckrecordzone": "zone", "ckrecordzoneid": "zone", "ckmodifyrecordzonesoperation": "zone create",
    "ckfetchrecordzonesoperation": "zone list", "ckfetchdatabasechangesoperation": "changes",
    "ckfetchrecordzonechangesoperation": "changes", "ckserverchangetoken": "changes",
    "cksyncengine": "changes", "cksubscription": "subscription create",
    "ckquerysubscription": "subscription create", "ckdatabasesubscription": "subscription create",
    "ckrecordzonesubscription": "subscription create",
    "ckmodifysubscriptionsoperation": "subscription create", "cknotification": "notification",
    "cknotificationinfo": "subscription create", "ckshare": "share create",
    "ckshareparticipant": "share edit", "ckacceptsharesoperation": "share accept",
    "ckfetchsharemetadataoperation": "share metadata",
    "ckfetchshareparticipantsoperation": "share create", "uicloudsharingcontroller": "share create",
    "ckuseridentity": "account", "ckdiscoveralluseridentitiesoperation": "account",
    "ckdiscoveruseridentitiesoperation": "account", "ckaccountstatus": "account status",
    "nsubiquitouskeyvaluestore": "kvs", "uidocument": "document open",
    "nsdocument": "document open",
    "nsfilecoordinator": "document", "nsfileversion": "document versions",
    "nsmetadataquery": "document find", "nspersistentcloudkitcontainer": "schema core-data",
  ]

  private static let subjects = [
    "sharing": "share", "shares": "share", "participants": "share edit", "sync": "changes",
    "changetokens": "changes", "pushes": "notification",
    "apns": "notification", "notifications": "notification", "subscriptions": "subscription",
    "icloud": "account", "signin": "account sign-in", "users": "account", "people": "account",
    "iclouddrive": "document", "documents": "document", "keyvaluestore": "kvs",
    "keyvalue": "kvs", "deploy": "schema deploy",
    "deployment": "schema deploy", "production": "schema deploy", "index": "schema index",
    "indexes": "schema index", "permissions": "schema grant", "roles": "schema role",
    "quota": "account quota", "conflicts": "errors", "offline": "device", "devices": "device",
    "ci": "exec", "testing": "exec", "tests": "exec", "seed": "fixture", "backup": "store backup",
    "json": "formats", "csv": "formats", "references": "fields", "location": "fields",
    "coredata": "schema core-data", "swiftdata": "schema core-data",
    "zones": "zone", "records": "record", "types": "schema", "assets": "asset",
    "environments": "schema deploy", "containers": "container", "webservices": "serve",
    "browser": "dashboard", "web": "dashboard", "ui": "dashboard", "console": "dashboard",
    "server": "serve", "http": "serve", "cloudkitjs": "serve", "apitoken": "token",
    "webauthtoken": "token sign-in",
    "servertoserver": "key",
  ]
}
