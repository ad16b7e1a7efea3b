public import Basics
public import CloudModel
internal import FieldCodecs

extension RecordDifference.Expectation {
  /// The value as reports print it.
  public var text: String {
    if case .zone = self { return "zone" }
    return json.text
  }

  /// The value as JSON.
  public var json: JSONValue {
    var bytes: [UInt8] = []
    switch self {
    case .zone: return .bool(true)
    case .name(let name): return .string(name)
    case .matcher(let matcher): return matcher.json
    case .value(let value): bytes.append(plain: value)
    case .record(let record): bytes.append(exported: record, types: [:], withSystem: false)
    }
    return bytes.withUnsafeBytes { bytes in (try? JSONParser.parse(bytes)) ?? .null }
  }
}

extension FieldMatcher {
  /// The matcher as fixtures write it.
  fileprivate var json: JSONValue {
    switch self {
    case .any: .object([JSONMember("any", .bool(true))])
    case .approximately(let number, let span):
      .object([
        JSONMember("approximately", .double(number)), JSONMember("within", .double(span)),
      ])
    case .matches(let pattern): .object([JSONMember("matches", .string(pattern))])
    case .assetHash(let hash): .object([JSONMember("sha256", .string(hash))])
    }
  }
}
