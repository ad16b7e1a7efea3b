internal import Basics
public import CloudModel
internal import WireFormat

/// A database of a remote's container.
public struct RemoteDatabase: Sendable {
  /// The client.
  public let client: RemoteClient
  /// Which database.
  public let scope: DatabaseScope

  /// A database of a client's container.
  public init(_ client: RemoteClient, _ scope: DatabaseScope) {
    (self.client, self.scope) = (client, scope)
  }

  // MARK: Users and zones

  /// The user of the requests; nil for none. Throws `CloudError`, `RemoteError`, `RemoteFailure`,
  /// as all requests.
  public func caller() throws -> UserRecordName? {
    do {
      let user = try client.ask(.public, "users/caller", nil)
      return try user.text("userRecordName").map { UserRecordName(stored: $0) }
    } catch let error as RemoteError where error.isSignIn {
      if client.settings.credentials.reachesPrivate { throw error }
      return nil
    }
  }

  /// The zones.
  public func zones() throws -> [ZoneID] {
    try client.ask(scope, "zones/list", nil).requiredObjects("zones").map(zone(of:))
  }

  /// The zone of an item; only zones of the shared database keep their owner.
  private func zone(of item: WireObject) throws -> ZoneID {
    let id = try item.requiredObject("zoneID")
    let name = ZoneName(stored: try id.requiredText("zoneName"))
    guard scope == .shared else { return ZoneID(name) }
    return ZoneID(
      name, owner: .user(UserRecordName(stored: try id.requiredText("ownerRecordName"))))
  }

  /// Creates or deletes a zone; one that is there already, or is gone, is success.
  func modify(zone: ZoneID, delete: Bool) throws {
    var body: [UInt8] = []
    body.append(
      text: "{\"operations\":[{\"operationType\":\"\(delete ? "delete" : "create")\","
        + "\"zone\":{\"zoneID\":")
    body.append(contentsOf: zone.wire)
    body.append(text: "}}]}")
    let done: [WireCode] = delete ? [.zoneNotFound, .notFound] : [.exists, .conflict]
    let items = try client.ask(scope, "zones/modify", body).requiredObjects("zones")
    guard let error = items.first.flatMap({ RemoteError($0) }) else { return }
    if let code = error.wireCode, done.contains(code) { return }
    throw error
  }

  // MARK: Feeds

  /// A page of the feed of zones.
  struct ZonePage {
    var changed: [ZoneID] = []
    var deleted: [ZoneID] = []
    var token: String
    var isLast: Bool
  }

  func changedZones(since token: String?) throws -> ZonePage {
    let body: [UInt8] =
      token.map { Array("{\"syncToken\":\(quoted: $0)}".utf8) } ?? Array("{}".utf8)
    let answer = try client.ask(scope, "changes/database", body)
    var page = ZonePage(
      token: try answer.requiredText("syncToken"), isLast: try answer.flag("moreComing") != true)
    for zone in try answer.requiredObjects("zones") {
      if try zone.flag("deleted") == true {
        page.deleted.append(try self.zone(of: zone))
      } else {
        page.changed.append(try self.zone(of: zone))
      }
    }
    return page
  }

  /// A page of records.
  public struct Page: Sendable {
    /// The records and deletions.
    public var records: [RemoteRecord] = []
    /// Records that a lookup does not find.
    public var missing: [RecordName] = []
    /// Records that the server does not give, or that cannot be read.
    public var faults: [CloudError] = []
    /// Where it goes on; nil for the end of a query.
    public var token: String?
    /// Whether it is the last.
    public var isLast: Bool
    /// The time of the last record's creation.
    var lastCreation: Int64?
  }

  /// A page of the feed of a zone.
  func changes(in zone: ZoneID, since token: String?) throws -> Page {
    var body = Array("{\"zones\":[{\"zoneID\":".utf8)
    body.append(contentsOf: zone.wire)
    if let token { body.append(text: ",\"syncToken\":\(quoted: token)") }
    body.append(text: "}]}")
    let answer = try client.page(scope, "changes/zone", body)
    if let error = RemoteError(answer.others) { throw error }
    var page = Page(answer)
    page.token = try answer.others.requiredText("syncToken")
    page.isLast = try answer.others.flag("moreComing") != true
    return page
  }

  // MARK: Records

  /// A page of the records of a type, oldest first: from a creation time on, or after a marker.
  func query(
    _ type: RecordType, in zone: ZoneID, createdSince time: Int64?, after marker: String?,
    limit: Int? = nil
  ) throws -> Page {
    var body = Array("{\"query\":{\"recordType\":".utf8)
    body.append(jsonString: type.text)
    if let time {
      body.append(
        text: ",\"filterBy\":[{\"fieldName\":\"___createTime\",\"comparator\":"
          + "\"GREATER_THAN_OR_EQUALS\",\"fieldValue\":{\"value\":\(time),\"type\":"
          + "\"TIMESTAMP\"}}]")
    }
    body.append(
      text: ",\"sortBy\":[{\"fieldName\":\"___createTime\",\"ascending\":true}]},\"zoneID\":")
    body.append(contentsOf: zone.wire)
    if let limit { body.append(text: ",\"resultsLimit\":\(limit)") }
    if let marker { body.append(text: ",\"continuationMarker\":\(quoted: marker)") }
    body.append(text: "}")
    let answer = try client.page(scope, "records/query", body)
    var page = Page(answer)
    page.token = try answer.others.text("continuationMarker")
    page.isLast = page.token == nil
    return page
  }

  /// The records of the given names, and which of them are missing.
  public func lookup(_ names: [RecordName], in zone: ZoneID) throws -> Page {
    var all = Page(isLast: true)
    var rest = names[...]
    while !rest.isEmpty {
      let part = rest.prefix(Limits.wireOperations)
      rest = rest.dropFirst(part.count)
      var body = Array("{\"records\":".utf8)
      body.append(jsonList: part.map { $0 }, "[", "]") { bytes, name in
        bytes.append(text: "{\"recordName\":")
        bytes.append(jsonString: name.text)
        bytes.append(UInt8(ascii: "}"))
      }
      body.append(text: ",\"zoneID\":")
      body.append(contentsOf: zone.wire)
      body.append(text: "}")
      let page: Page
      do { page = Page(try client.page(scope, "records/lookup", body)) } catch let error
        as RemoteError where error.wireCode == .zoneNotFound
      {
        all.missing += part
        continue
      }
      all.records += page.records
      all.missing += page.missing
      all.faults += page.faults
    }
    return all
  }

  /// The outcome of an operation.
  enum Outcome {
    case saved(tag: String)
    case deleted
    case failed(RemoteError)
  }

  /// Sends a list of operations, at most 200; their outcomes in order. Throws `RemoteFailure` of
  /// kind `unknown` if they may have been done.
  func modify(_ operations: [UInt8], count: Int, in zone: ZoneID) throws -> [Outcome] {
    var body = Array("{\"operations\":".utf8)
    body.append(contentsOf: operations)
    body.append(text: ",\"atomic\":false,\"desiredKeys\":[],\"zoneID\":")
    body.append(contentsOf: zone.wire)
    body.append(text: "}")
    let items = try client.tell(scope, "records/modify", body).requiredObjects("records")
    guard items.count == count else {
      throw RemoteFailure(
        .unknown, "\(client.host) answered \(items.count) of \(count) operations")
    }
    return try items.map { item in
      if let error = RemoteError(item) { return .failed(error) }
      if try item.flag("deleted") == true { return .deleted }
      return .saved(tag: try item.requiredText("recordChangeTag"))
    }
  }
}

extension RemotePage {
  /// The members besides the records.
  fileprivate var others: WireObject { WireObject(members) }
}

extension RemoteDatabase.Page {
  /// The records of an answer.
  fileprivate init(_ answer: RemotePage) {
    isLast = true
    records = answer.records
    lastCreation = records.last?.created?.at.milliseconds
    for failure in answer.failures {
      switch failure {
      case .record(let error): faults.append(error)
      case .item(let members):
        guard let error = RemoteError(WireObject(members)) else { continue }
        if error.wireCode == .notFound, let name = error.recordName {
          missing.append(RecordName(stored: name))
        } else {
          faults.append(error.cloudError)
        }
      }
    }
  }
}

extension ZoneID {
  /// The zone as requests name it; the owner is omitted for the caller's own zones.
  var wire: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"zoneName\":")
    bytes.append(jsonString: name.text)
    if case .user(let owner) = owner {
      bytes.append(text: ",\"ownerRecordName\":")
      bytes.append(jsonString: owner.text)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

extension DefaultStringInterpolation {
  /// Adds a JSON string.
  mutating func appendInterpolation(quoted text: String) {
    appendInterpolation(JSONValue.string(text).text)
  }
}
