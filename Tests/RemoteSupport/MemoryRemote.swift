package import Basics
package import CloudSync
internal import Glibc

/// A small server in memory: what tests of the client need of Web Services. It shares no code with
/// the server of this project.
package final class MemoryRemote: RemoteTransport, @unchecked Sendable {
  /// A record as the server has it.
  package struct Stored {
    package var type: String
    package var fields: [JSONMember]
    package var parent: String?
    package var tag: Int
    package var created: Int
    package var sequence: Int
    package var isDeleted = false
  }

  /// A request that the server got.
  package struct Call: Sendable {
    package var action: String
    package var request: RemoteRequest
    package var body: JSONValue
  }

  private let lock = Locked(())
  /// The records by `database zone name`.
  package var records: [String: Stored] = [:]
  /// The custom zones.
  package var zones: [String: Int] = [:]
  package var deletedZones: [String: Int] = [:]
  /// The user of the requests.
  package var caller = "_caller"
  /// The owners of the zones that other users share with the caller.
  package var owners: [String: String] = [:]
  /// The contents that were uploaded, by their checksums.
  package var files: [String: [UInt8]] = [:]
  /// All requests.
  package var calls: [Call] = []
  /// How often each file was downloaded.
  package var downloads: [String: Int] = [:]
  /// The answers to the next requests of an action, instead of the server's own: a failure before
  /// or after the request is done, or an answer.
  package var faults: [String: [Fault]] = [:]
  /// Records for which a whole request is refused, as the service does for some values.
  package var refusedWhole: Set<String> = []
  /// What happens with each request, before its answer.
  package var onCall: (String) -> Void = { _ in }
  /// The number of records in a page.
  package var pageSize = 200
  private var sequence = 0

  /// What happens to a request.
  package enum Fault {
    case before(RemoteFailure)
    case after(RemoteFailure)
    case answer(RemoteResponse)
    /// The answer to each item of records/modify.
    case items(String)
    /// The request is done twice, and the second answer is given.
    case twice
  }

  package init() {}

  // MARK: Transport

  package func send(_ request: RemoteRequest) throws(RemoteFailure) -> RemoteResponse {
    let target = String(request.url.prefix { $0 != "?" })
    let words = target.split(separator: "/").map(String.init)
    let action = words.suffix(2).joined(separator: "/")
    let body = (try? request.body.withUnsafeBytes { try JSONParser.parse($0) }) ?? .object([])
    return try locked { () throws(RemoteFailure) in
      calls.append(Call(action: action, request: request, body: body))
      onCall(action)
      let fault = faults[action].flatMap { $0.isEmpty ? nil : $0[0] }
      if fault != nil { faults[action]?.removeFirst() }
      let database = words[words.count - 3]
      switch fault {
      case .before(let failure): throw failure
      case .answer(let response): return response
      case .items(let code): return refusal(of: body, code)
      case .after(let failure):
        _ = answer(action, body, database)
        throw failure
      case .twice:
        _ = answer(action, body, database)
        return response(answer(action, body, database))
      case nil: return response(answer(action, body, database))
      }
    }
  }

  package func download(_ url: String, to path: String) throws(RemoteFailure) -> RemoteResponse {
    let name = url.split(separator: "/").last.map(String.init) ?? ""
    let bytes = locked {
      downloads[name, default: 0] += 1
      return files[name]
    }
    guard let bytes else { return RemoteResponse(404) }
    do { try FileHandle(create: path).writeAll(bytes) } catch {
      throw RemoteFailure(.permanent, "\(error)")
    }
    return RemoteResponse(200)
  }

  package func upload(_ path: String, to url: String) throws(RemoteFailure) -> RemoteResponse {
    guard let bytes = try? FileSystem.contents(of: path) else {
      throw RemoteFailure(.permanent, path)
    }
    // The name is not a digest, as in the real service.
    let name = "AQ" + Base64.encodeURL(Array(SHA256.hash(bytes).prefix(12)))
    locked { files[name] = bytes }
    let text = """
      {"singleFile":{"fileChecksum":"\(name)","size":\(bytes.count),"receipt":"r","wrappingKey":\
      "w","referenceChecksum":"c"}}
      """
    return RemoteResponse(200, body: Array(text.utf8))
  }

  package func signature(of message: [UInt8], by key: String) throws(RemoteFailure) -> [UInt8] {
    SHA256.hash(message + Array(key.utf8))
  }

  private func locked<T, E: Error>(_ work: () throws(E) -> T) throws(E) -> T {
    pthread_mutex_lock(Self.mutex)
    defer { pthread_mutex_unlock(Self.mutex) }
    return try work()
  }

  private nonisolated(unsafe) static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    return mutex
  }()

  // MARK: State

  /// Saves a record as another client would.
  package func put(
    _ name: String, type: String = "Note", in zone: String = "Notes",
    database: String = "private", parent: String? = nil, _ fields: (String, JSONValue, String)...
  ) {
    if zone != "_defaultZone", zones[zone] == nil { makeZone(zone) }
    let members = fields.map { name, value, type in
      JSONMember(name, .object([.init("value", value), .init("type", .string(type))]))
    }
    store("\(database) \(zone) \(name)", type, members, parent)
  }

  /// Deletes a record as another client would.
  package func delete(_ name: String, in zone: String = "Notes", database: String = "private") {
    sequence += 1
    let key = "\(database) \(zone) \(name)"
    records[key]?.isDeleted = true
    records[key]?.sequence = sequence
  }

  package func makeZone(_ name: String) {
    sequence += 1
    (zones[name], deletedZones[name]) = (sequence, nil)
  }

  package func deleteZone(_ name: String) {
    sequence += 1
    (zones[name], deletedZones[name]) = (nil, sequence)
    for key in records.keys where key.hasPrefix("private \(name) ") { records[key] = nil }
  }

  private func store(
    _ key: String, _ type: String, _ fields: [JSONMember], _ parent: String?
  ) {
    sequence += 1
    let old = records[key].flatMap { $0.isDeleted ? nil : $0 }
    records[key] = Stored(
      type: type, fields: fields, parent: parent, tag: sequence,
      created: old?.created ?? sequence, sequence: sequence)
  }

  // MARK: Answers

  private func response(_ json: JSONValue) -> RemoteResponse {
    RemoteResponse(json["serverErrorCode"] == nil ? 200 : 400, body: Array(json.text.utf8))
  }

  private func answer(_ action: String, _ body: JSONValue, _ database: String) -> JSONValue {
    switch action {
    case "users/caller": .object([.init("userRecordName", .string(caller))])
    case "zones/list":
      .object([
        .init("zones", .array(zones(in: database).map { .object([zoneID($0)]) }))
      ])
    case "zones/modify": modifyZones(body)
    case "changes/database": changedZones(body, database)
    case "changes/zone": changes(body)
    case "records/query": query(body, database)
    case "records/lookup": lookup(body, database == "shared" ? "private" : database)
    case "records/modify": modify(body, database)
    case "assets/upload":
      .object([
        .init(
          "tokens",
          .array(
            (body["tokens"]?.array ?? []).map { _ in
              .object([.init("url", .string("https://files.example/up"))])
            }))
      ])
    default: .object([.init("serverErrorCode", .string("NOT_FOUND"))])
    }
  }

  private func zoneID(_ name: String) -> JSONMember {
    let owner = JSONMember("ownerRecordName", .string(owners[name] ?? "_caller"))
    return .init("zoneID", .object([.init("zoneName", .string(name)), owner]))
  }

  private func zones(in database: String) -> [String] {
    zones.keys.filter { isIn(database, $0) }.sorted()
  }

  private func isIn(_ database: String, _ zone: String) -> Bool {
    (owners[zone] != nil) == (database == "shared")
  }

  private func modifyZones(_ body: JSONValue) -> JSONValue {
    let operations = body["operations"]?.array ?? []
    for operation in operations {
      let name = operation["zone"]?["zoneID"]?["zoneName"]?.string ?? ""
      if operation["operationType"]?.string == "delete" {
        deleteZone(name)
      } else {
        makeZone(name)
      }
    }
    return .object([.init("zones", .array(operations.map { _ in .object([]) }))])
  }

  private func changedZones(_ body: JSONValue, _ database: String) -> JSONValue {
    let since = body["syncToken"]?.string.flatMap { Int($0) } ?? 0
    var all: [JSONValue] = []
    for name in zones(in: database) {
      let last = records.filter { $0.key.hasPrefix("private \(name) ") }.map(\.value.sequence).max()
      guard max(zones[name] ?? 0, last ?? 0) > since else { continue }
      all.append(.object([zoneID(name), .init("deleted", .bool(false))]))
    }
    for (name, at) in deletedZones where at > since && isIn(database, name) {
      all.append(.object([zoneID(name), .init("deleted", .bool(true))]))
    }
    return .object([
      .init("zones", .array(all)), .init("syncToken", .string("\(sequence)")),
      .init("moreComing", .bool(false)), .init("unknownKey", .int(1)),
    ])
  }

  private func changes(_ body: JSONValue) -> JSONValue {
    guard let part = body["zones"]?.array?.first,
      let zone = part["zoneID"]?["zoneName"]?.string
    else { return .object([]) }
    guard zones[zone] != nil else {
      return .object([.init("zones", .array([error("ZONE_NOT_FOUND")]))])
    }
    let token = part["syncToken"]?.string
    let since = token.flatMap { Int($0) } ?? 0
    if token == "expired" {
      return .object([
        .init("zones", .array([error("BAD_REQUEST", "Unknown sync continuation type")]))
      ])
    }
    let found = records.filter { $0.key.hasPrefix("private \(zone) ") && $0.value.sequence > since }
      .sorted { $0.value.sequence < $1.value.sequence }
    let page = found.prefix(pageSize)
    let last = page.last?.value.sequence ?? since
    return .object([
      .init(
        "zones",
        .array([
          .object([
            zoneID(zone), .init("records", .array(page.map { json($0.key, $0.value) })),
            .init("syncToken", .string("\(last)")),
            .init("moreComing", .bool(page.count < found.count)),
          ])
        ]))
    ])
  }

  private func query(_ body: JSONValue, _ database: String) -> JSONValue {
    let type = body["query"]?["recordType"]?.string
    let zone = body["zoneID"]?["zoneName"]?.string ?? "_defaultZone"
    let after = body["continuationMarker"]?.string.flatMap { Int($0) } ?? 0
    let found = records.filter {
      $0.key.hasPrefix("\(database) \(zone) ") && $0.value.type == type && !$0.value.isDeleted
        && $0.value.created > after
    }.sorted { $0.value.created < $1.value.created }
    let page = found.prefix(pageSize)
    var members = [JSONMember("records", .array(page.map { json($0.key, $0.value) }))]
    if page.count < found.count, let last = page.last {
      members.append(.init("continuationMarker", .string("\(last.value.created)")))
    }
    return .object(members)
  }

  private func lookup(_ body: JSONValue, _ database: String) -> JSONValue {
    let zone = body["zoneID"]?["zoneName"]?.string ?? "_defaultZone"
    let items = (body["records"]?.array ?? []).map { item -> JSONValue in
      let name = item["recordName"]?.string ?? ""
      let key = "\(database) \(zone) \(name)"
      guard let record = records[key], !record.isDeleted else {
        return error("NOT_FOUND", "Record not found", name)
      }
      return json(key, record)
    }
    return .object([.init("records", .array(items))])
  }

  private func error(_ code: String, _ reason: String = "", _ name: String? = nil) -> JSONValue {
    .object(
      (name.map { [JSONMember("recordName", .string($0))] } ?? []) + [
        .init("serverErrorCode", .string(code)), .init("reason", .string(reason)),
      ])
  }

  private func refusal(of body: JSONValue, _ code: String) -> RemoteResponse {
    let items = (body["operations"]?.array ?? []).map {
      error(code, "refused", $0["record"]?["recordName"]?.string)
    }
    return response(.object([.init("records", .array(items))]))
  }

  private func modify(_ body: JSONValue, _ database: String) -> JSONValue {
    let zone = body["zoneID"]?["zoneName"]?.string ?? "_defaultZone"
    if zone != "_defaultZone", zones[zone] == nil { return error("ZONE_NOT_FOUND") }
    let names = (body["operations"]?.array ?? []).compactMap { $0["record"]?["recordName"]?.string }
    if names.contains(where: refusedWhole.contains) {
      return error("BAD_REQUEST", "Invalid value, expected type TIMESTAMP.")
    }
    let items = (body["operations"]?.array ?? []).map { operation -> JSONValue in
      let record = operation["record"] ?? .null
      let name = record["recordName"]?.string ?? ""
      let key = "\(database) \(zone) \(name)"
      let stored = records[key].flatMap { $0.isDeleted ? nil : $0 }
      let tag = record["recordChangeTag"]?.string
      switch operation["operationType"]?.string {
      case "create":
        if stored != nil { return error("CONFLICT", "record to insert already exists", name) }
        store(
          key, record["recordType"]?.string ?? "", fields(of: record, over: []),
          record["parent"]?["recordName"]?.string)
      case "delete":
        if let stored, "\(stored.tag)" != tag {
          return error("CONFLICT", "client oplock error updating record", name)
        }
        if stored != nil { delete(name, in: zone, database: database) }
        return .object([.init("recordName", .string(name)), .init("deleted", .bool(true))])
      default:
        guard let stored else {
          return error("NOT_FOUND", "recordChangeTag specified, but record not found.", name)
        }
        guard "\(stored.tag)" == tag else {
          return error("CONFLICT", "client oplock error updating record", name)
        }
        store(
          key, stored.type, fields(of: record, over: stored.fields),
          record["parent"]?["recordName"]?.string)
      }
      return .object([
        .init("recordName", .string(name)),
        .init("recordChangeTag", .string("\(records[key]?.tag ?? 0)")),
      ])
    }
    return .object([.init("records", .array(items))])
  }

  private func fields(of record: JSONValue, over old: [JSONMember]) -> [JSONMember] {
    guard case .object(let members)? = record["fields"] else { return old }
    var fields = old
    for member in members {
      fields.removeAll { $0.name == member.name }
      if member.value["value"] ?? .null != .null { fields.append(member) }
    }
    return fields
  }

  private func json(_ key: String, _ record: Stored) -> JSONValue {
    let name = key.split(separator: " ").last.map(String.init) ?? ""
    if record.isDeleted {
      return .object([
        .init("recordName", .string(name)), .init("recordType", .null),
        .init("deleted", .bool(true)),
      ])
    }
    let stamp = JSONValue.object([
      .init("timestamp", .int(Int64(1_700_000_000_000 + record.created))),
      .init("userRecordName", .string("_someone")), .init("deviceID", .string("2")),
    ])
    var members: [JSONMember] = [
      .init("recordName", .string(name)), .init("recordType", .string(record.type)),
      .init("fields", .object(record.fields.map(downloadable))),
      .init("pluginFields", .object([])), .init("recordChangeTag", .string("\(record.tag)")),
      .init("created", stamp), .init("modified", stamp), .init("deleted", .bool(false)),
    ]
    if let parent = record.parent {
      members.append(.init("parent", .object([.init("recordName", .string(parent))])))
    }
    return .object(members)
  }

  private func downloadable(_ member: JSONMember) -> JSONMember {
    guard member.value["type"]?.string == "ASSETID",
      case .object(let asset)? = member.value["value"],
      let checksum = member.value["value"]?["fileChecksum"]?.string
    else { return member }
    let url = JSONMember("downloadURL", .string("https://files.example/${f}/\(checksum)"))
    return JSONMember(
      member.name,
      .object([.init("value", .object(asset + [url])), .init("type", .string("ASSETID"))]))
  }
}
