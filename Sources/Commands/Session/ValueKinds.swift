internal import Basics
internal import CloudModel
internal import CommandKit

// The value kinds of CloudKit's nouns.

extension ValueKind where Value == ContainerID {
  /// A container's identifier.
  static let container = ValueKind<ContainerID>("ID", candidates: .question("containers")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try ContainerID(word) }
  }
}

extension ValueKind where Value == CloudModel.Environment {
  /// `development` or `production`.
  static let environment = ValueKind<CloudModel.Environment>(
    "ENVIRONMENT", candidates: .words(CloudModel.Environment.allCases.map(\.rawValue))
  ) { (word) throws(ValueError) in
    // Apple's cktool accepts capitals, too.
    if let environment = CloudModel.Environment(rawValue: word.lowercased()) { return environment }
    throw .unknown(word, among: CloudModel.Environment.allCases.map(\.rawValue))
  }
}

extension ValueKind where Value == DatabaseScope {
  /// `public`, `private` or `shared`.
  static let scope = ValueKind<DatabaseScope>(
    "DATABASE", candidates: .words(DatabaseScope.allCases.map(\.name))
  ) { (word) throws(ValueError) in
    if let scope = DatabaseScope.allCases.first(where: { $0.name == word }) { return scope }
    throw .unknown(word, among: DatabaseScope.allCases.map(\.name))
  }
}

extension ValueKind where Value == ZoneID {
  /// A zone's name.
  static let zone = zone(candidates: "zones")

  /// A zone that can be deleted: not the default zone.
  static let customZone = zone(candidates: "customZones")

  private static func zone(candidates: String) -> ValueKind<ZoneID> {
    ValueKind<ZoneID>("NAME", candidates: .question(candidates)) { (word) throws(ValueError) in
      try checked { () throws(CloudError) in try ZoneID(word) }
    }
  }
}

extension ValueKind where Value == RecordName {
  /// A record's name.
  static let record = ValueKind<RecordName>("NAME", candidates: .question("names")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try RecordName(word) }
  }
}

extension ValueKind where Value == RecordType {
  /// A record type.
  static let type = ValueKind<RecordType>("TYPE", candidates: .question("types")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try RecordType(schemaName: word) }
  }
}

extension ValueKind where Value == FieldName {
  /// A field's name.
  static let field = ValueKind<FieldName>("FIELD", candidates: .question("fields")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try FieldName(word) }
  }
}

extension ValueKind where Value == String {
  /// The text of a predicate, which its command parses.
  static let predicate = ValueKind<String>.text(
    "PREDICATE", candidates: .question("predicate"), isPhrase: true)
}

extension ValueKind where Value == Timestamp {
  /// A point in time.
  static let time = ValueKind<Timestamp>("TIME") { (word) throws(ValueError) in
    guard let time = Timestamp(word) else {
      throw ValueError(
        "'\(word)' is not an ISO 8601 date", hint: "for example 2024-05-01T12:00:00Z")
    }
    return time
  }
}

extension ValueKind where Value == UInt64 {
  /// A seed for random choices.
  static let seed = ValueKind<UInt64>("N") { (word) throws(ValueError) in
    guard let number = UInt64(word) else {
      throw ValueError("'\(word)' is not a whole number from 0 to 18446744073709551615")
    }
    return number
  }
}

extension ValueKind where Value == Double {
  /// A time span, in seconds: `5`, `5s`, `500ms`, `2m`.
  static let seconds = ValueKind<Double>("SECONDS") { (word) throws(ValueError) in
    guard let span = TimeSpan.milliseconds(word) else {
      throw ValueError("'\(word.visible)' is not a time span: write 5, 500ms, 2m or 1h")
    }
    return Double(span) / 1000
  }
}

/// Checks a word by CloudKit's rules.
func checked<T>(_ check: () throws(CloudError) -> T) throws(ValueError) -> T {
  do { return try check() } catch {
    throw ValueError(error.message, hint: error.hint, refusal: error)
  }
}
