public import Basics
public import CloudModel

extension ZoneID {
  /// Reads Web Services' dictionary (W4); nil without a `zoneName`. Throws `invalidArguments`.
  public init?(json: JSONValue) throws(CloudError) {
    guard let name = json["zoneName"]?.string else { return nil }
    try self.init(name: name, owner: json["ownerRecordName"]?.string)
  }

  /// Web Services' dictionary (W4); omits the owner of own zones.
  public var wireJSON: JSONValue {
    var members = [JSONMember("zoneName", .string(name.text))]
    if case .user(let owner) = owner {
      members.append(JSONMember("ownerRecordName", .string(owner.text)))
    }
    return .object(members)
  }

  /// Reads the zone of a reference: a text, or Web Services' dictionary; nil without a name.
  public init?(plain json: JSONValue) throws(ValueReadingError) {
    do throws(CloudError) {
      if let text = json.string {
        self = try ZoneID(text)
      } else if let zone = try ZoneID(json: json) {
        self = zone
      } else {
        return nil
      }
    } catch { throw ValueReadingError(error.message) }
  }
}
