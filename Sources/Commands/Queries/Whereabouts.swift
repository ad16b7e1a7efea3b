internal import CloudModel
internal import CloudServices
internal import PredicateLanguage

/// Where the data is that a command did not find in its database or zone.
struct Whereabouts {
  let database: CloudDatabase
  /// The named zone; nil for all.
  let zone: ZoneID?

  /// `no City in private; 20 in public: -d public`. Nil if the type has records in the place, or
  /// nowhere.
  func records(of type: RecordType) -> String? {
    guard count(type, in: database, zone) == 0 else { return nil }
    if let zone, let others = count(type, in: database, nil), others > 0 {
      return "no \(type.text) in zone \(zone.text); \(others) in others"
    }
    for scope in DatabaseScope.allCases where scope != database.scope {
      guard let other = try? database.environment.database(scope),
        let found = count(type, in: other, nil), found > 0
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
      guard let other = try? database.environment.database(scope).withoutNetwork(),
        let zones = try? other.zones()
      else { continue }
      for id in zones.map(\.id) {
        guard let found = try? other.fetch([name], in: id, keys: []).first, case .record = found
        else { continue }
        let words =
          (scope == database.scope ? [] : ["-d \(scope.name)"])
          + (id.isDefault ? [] : ["-z \(id.text)"])
        return "\(name.text) is in zone \(id.text) of \(scope.name): "
          + words.joined(separator: " ")
      }
    }
    return nil
  }

  private func count(_ type: RecordType, in database: CloudDatabase, _ zone: ZoneID?) -> Int? {
    guard let all = try? PredicateParser.parse("TRUEPREDICATE") else { return nil }
    var request = QueryRequest(type: type, predicate: all)
    request.zone = zone
    request.isForCloudKit = false
    request.meetsFaults = false
    return try? database.withoutNetwork().count(request)
  }
}
