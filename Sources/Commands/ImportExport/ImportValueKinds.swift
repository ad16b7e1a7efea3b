internal import CloudModel
internal import CommandKit

/// `FIELD=TYPE`
struct FieldTypeChoice: Sendable {
  let field: String
  let type: FieldType
}

/// `OLD=NEW`
struct FieldRename: Sendable {
  let old: String
  let new: String
}

/// `FIELD=LAT,LON`, the names of three fields
struct LocationFields: Sendable {
  let field: String
  let latitude: String
  let longitude: String
}

/// `FIELD[=PREFIX][,delete]`
struct ReferenceField: Sendable {
  let field: String
  let prefix: String
  let action: Reference.Action
}

/// The two sides of `a=b`.
private func sides(_ word: String, _ form: String) throws(ValueError) -> (String, String) {
  guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
    throw ValueError("expected \(form), found '\(word)'")
  }
  return (String(word[..<equals]), String(word[word.index(after: equals)...]))
}

extension ValueKind where Value == FieldTypeChoice {
  static let fieldType = ValueKind<FieldTypeChoice>("FIELD=TYPE") { (word) throws(ValueError) in
    let (field, name) = try sides(word, "FIELD=TYPE")
    guard let type = FieldType(schemaName: name) else {
      throw .unknown(name, among: FieldType.Base.allCases.map(\.rawValue))
    }
    return FieldTypeChoice(field: field, type: type)
  }
}

extension ValueKind where Value == FieldRename {
  static let rename = ValueKind<FieldRename>("OLD=NEW") { (word) throws(ValueError) in
    let (old, new) = try sides(word, "OLD=NEW")
    return FieldRename(old: old, new: new)
  }
}

extension ValueKind where Value == LocationFields {
  static let locationFields = ValueKind<LocationFields>("FIELD=LAT,LON") {
    (word) throws(ValueError) in
    let (field, names) = try sides(word, "FIELD=LAT,LON")
    let parts = names.split(separator: ",")
    guard parts.count == 2 else { throw ValueError("expected FIELD=LAT,LON, found '\(word)'") }
    return LocationFields(
      field: field, latitude: String(parts[0]), longitude: String(parts[1]))
  }
}

extension ValueKind where Value == ReferenceField {
  static let referenceField = ValueKind<ReferenceField>("FIELD[=PREFIX][,ACTION]") {
    (word) throws(ValueError) in
    let (rest, action) = Reference.Action.behindComma(of: word) ?? (word, .none)
    let equals = rest.firstIndex(of: "=")
    let field = String(rest[..<(equals ?? rest.endIndex)])
    try checked { () throws(CloudError) in _ = try FieldName(field) }
    let prefix = equals.map { String(rest[rest.index(after: $0)...]) } ?? ""
    return ReferenceField(field: field, prefix: prefix, action: action)
  }
}

extension Reference.Action {
  /// Splits a text at its last comma into a name and an action, in any spelling of the action; nil
  /// if no action follows the comma, since a record's name may contain commas.
  static func behindComma(of text: String) -> (String, Reference.Action)? {
    guard let comma = text.lastIndex(of: ",") else { return nil }
    let word = text[text.index(after: comma)...].lowercased().filter { !" _-".contains($0) }
    let action: Reference.Action? =
      switch word {
      case "none": Reference.Action.none
      case "delete", "deleteself": .deleteSelf
      case "validate": .validate
      default: nil
      }
    return action.map { (String(text[..<comma]), $0) }
  }
}
