internal import Basics
internal import CloudModel
internal import CloudServices

/// Finds data that a command looked for in the wrong database or zone, without meeting injected
/// faults.
struct Whereabouts {
  let database: CloudDatabase
  /// The zone that the command looked in; nil for all.
  let zone: ZoneID?

  /// A note on an account that the store does not have, if its name may be a slip.
  func account() -> String? {
    guard let account = database.account,
      let meant = try? database.environment.accountMeant(by: account)
    else { return nil }
    return "there is no account \(account.name) yet; did you mean \(meant.name)?"
  }

  /// `no City in private; 20 in public: -d public`. Nil if the type has records where the command
  /// looked, or nowhere.
  func records(of type: RecordType) -> String? {
    guard (try? database.hasRecords(of: type, in: zone)) == false else { return nil }
    if let zone, let others = count(type, in: database), others > 0 {
      return "no \(type.text) in zone \(zone.text); \(others) in others"
    }
    for scope in DatabaseScope.allCases where scope != database.scope {
      guard let other = try? database.environment.database(scope),
        let found = count(type, in: other), found > 0
      else { continue }
      return "no \(type.text) in \(database.scope.name); \(found) in \(scope.name): "
        + "-d \(scope.name)"
    }
    return nil
  }

  /// `n1 is in zone Drafts: -z Drafts`. Nil if no database has the record.
  func record(_ name: RecordName) -> String? {
    let scopes = [database.scope] + DatabaseScope.allCases.filter { $0 != database.scope }
    for scope in scopes {
      guard let id = try? database.environment.database(scope).zones(holding: name).first else {
        continue
      }
      let words =
        (scope == database.scope ? [] : ["-d \(scope.name)"])
        + (id.isDefault ? [] : ["-z \(id.text)"])
      return "\(name.text) is in zone \(id.text) of \(scope.name): "
        + words.joined(separator: " ")
    }
    return nil
  }

  /// The name of an existing record that differs by a slip; nil for none.
  func similarName(to name: RecordName) -> String? {
    let start = String(name.text.prefix(1))
    let zone = zone ?? .defaultZone
    guard let known = try? database.names(beginningWith: start, in: zone, atMost: 200) else {
      return nil
    }
    return Suggestion.nearest(to: name.text, among: known.map(\.text))
  }

  private func count(_ type: RecordType, in database: CloudDatabase) -> Int? {
    var request = QueryRequest(type: type, predicate: .constant(true, 0..<0))
    (request.isForCloudKit, request.meetsFaults) = (false, false)
    return try? database.withoutNetwork().count(request)
  }
}
