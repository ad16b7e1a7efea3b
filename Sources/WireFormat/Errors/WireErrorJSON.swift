public import Basics
public import CloudModel
internal import FieldCodecs

// Errors as Web Services write them (web-services.md, §5).

extension CloudError {
  /// The dictionary of a failed item: what failed, the code, the reason.
  public var wireItem: [JSONMember] {
    var members: [JSONMember] = []
    if let recordName { members.append(JSONMember("recordName", .string(recordName))) }
    if let zone, recordName == nil { members.append(JSONMember("zoneID", zone.wireJSON)) }
    return members + wireFacts
  }

  /// `reason`, `serverErrorCode`, `retryAfter`.
  public var wireFacts: [JSONMember] {
    var members = [
      JSONMember("reason", .string(wireReason)),
      JSONMember("serverErrorCode", .string(wireCode.rawValue)),
    ]
    if let retryAfter { members.append(JSONMember(retryAfter: retryAfter)) }
    return members
  }

  /// The code of the error in Web Services.
  public var wireCode: WireCode { isDuplicate ? .internalError : code.facts.wire }

  /// A subscription with the contents of another one (W10.6).
  private var isDuplicate: Bool { code == .serverRejectedRequest && serverCode == 2032 }

  /// The reason, in the service's words where these differ from the native ones.
  public var wireReason: String {
    if isDuplicate { return "could not find subscription we just created" }
    if recordName != nil, let words = Self.recordReasons.first(where: { message.hasPrefix($0.0) }) {
      return words.1
    }
    if code == .notAuthenticated, storage == nil { return "request needs authorization" }
    return message
  }

  /// Native words about a record, and the service's own (W10.11, W10.17). Others may occur.
  private static let recordReasons = [
    ("Record not found", "Record not found"),
    ("recordChangeTag specified,", "recordChangeTag specified, but record not found."),
    ("record is too large", "record too large"),
  ]
}

extension JSONMember {
  /// The seconds after which a client may try again: a whole number if it is one.
  public init(retryAfter seconds: Double) {
    self.init("retryAfter", Int64(exactly: seconds).map { .int($0) } ?? .double(seconds))
  }
}
