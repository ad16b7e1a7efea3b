public import Basics
public import CloudModel
public import CloudServices

/// Brings a database of a server, or what has changed in it, into this store.
///
/// While a page is written, the next one is fetched by another thread.
public final class Pull {
  /// What to pull.
  public struct Options {
    /// The zones; nil for all.
    public var zones: [ZoneID]?
    /// The types to query for in zones without a feed, once those with feeds are here: records may
    /// have brought new ones.
    public var types: () throws -> [RecordType]
    /// Whether zones with a feed are pulled, too.
    public var includesFeeds = true
    /// Whether nothing is kept.
    public var isRehearsal = false

    /// Pulls everything, with these types.
    public init(types: @escaping () throws -> [RecordType]) { self.types = types }
  }

  private let remote: RemoteDatabase
  private let copy: RemoteCopy
  private let options: Options
  private let wanted: [ZoneID]?
  private let assets: AssetDownloads
  private let meter: WorkMeter?
  private var result = PullResult()
  private var refused: [RefusedType] = []
  private var absent: [RecordType] = []
  private var queried: [RecordType] = []
  /// Zones that were named, and that the server does not have.
  private var unknownZones: [ZoneID] = []
  /// The records of a rehearsal, which notes them nowhere else.
  private var met: [ZoneID: Set<RecordName>] = [:]

  /// A type whose records the server does not list.
  public struct RefusedType: Sendable {
    /// The type.
    public let type: RecordType
    /// The server's error.
    public let error: RemoteError
  }

  /// The result of a pull.
  public struct Summary: Sendable {
    /// What it did.
    public var result: PullResult
    /// Types that could not be queried.
    public var refused: [RefusedType]
    /// Types that the server does not have.
    public var absent: [RecordType]
    /// Types that were asked for.
    public var queried: [RecordType]
    /// Zones that were named, and that the server does not have.
    public var unknownZones: [ZoneID]
    /// How many files were downloaded.
    public var downloads: Int
  }

  /// Prepares a pull.
  public init(
    _ remote: RemoteDatabase, into copy: RemoteCopy, _ options: Options, _ meter: WorkMeter? = nil
  ) {
    (self.remote, self.copy, self.options, self.meter) = (remote, copy, options, meter)
    wanted = options.zones?.map(copy.identity)
    assets = AssetDownloads(remote.client, copy, isRehearsal: options.isRehearsal)
  }

  /// Pulls. Throws `CloudError`, `RemoteError`, `RemoteFailure`; what was taken over before stays.
  public func run() throws -> Summary {
    let progress = try copy.beginPull(isRehearsal: options.isRehearsal)
    if !options.isRehearsal { try retryUntaken() }
    if options.includesFeeds, remote.scope != .public { try pullFeeds(progress) }
    if remote.scope != .shared, wants(.defaultZone) {
      let types = try options.types()
      queried = types
      for type in types { try pull(type, in: .defaultZone) }
    }
    assets.finish()
    return Summary(
      result: result, refused: refused, absent: absent, queried: queried,
      unknownZones: unknownZones, downloads: assets.count)
  }

  private func wants(_ zone: ZoneID) -> Bool {
    wanted.map { $0.contains { $0.names(zone) } } ?? true
  }

  /// Tries again to take over what conflicted, or did not fit the schema.
  private func retryUntaken() throws {
    let untaken = try copy.untaken()
    for zone in Set(untaken.map(\.zone)) where wants(zone) {
      let names = untaken.filter { $0.zone == zone }.map(\.name)
      try copying {
        try take(remote.lookup(names, in: zone), in: zone, nil, keepsPlace: true)
      }
    }
  }

  /// Pulls a zone. A shared zone that cannot be copied is reported, and the pull continues.
  private func copying(_ work: () throws -> Void) throws {
    do { try work() } catch let error as CloudError
      where remote.scope == .shared && error.code == .permissionFailure
    {
      result.faults.append(error)
    }
  }

  // MARK: Feeds

  private func pullFeeds(_ progress: RemoteCopy.Progress) throws {
    var zones = progress.zones.filter { $0.type == nil }
    var token = progress.token
    var changed: [ZoneID] = []
    var isWhole = false
    while true {
      let page: RemoteDatabase.ZonePage
      do { page = try remote.changedZones(since: token) } catch let error as RemoteError
        where error.wireCode == .badRequest && token != nil
      {
        // An expired token: everything is listed again, but for the zones that are gone.
        (token, isWhole) = (nil, true)
        continue
      }
      token = page.token
      changed += page.changed
      result += try copy.note(
        changed: page.changed, deleted: page.deleted, token: page.token,
        isRehearsal: options.isRehearsal)
      for name in page.deleted { zones.removeAll { $0.zone == name } }
      if page.isLast { break }
    }
    let pending = zones.filter { (isWhole || $0.isPending) && $0.zone != .defaultZone }.map(\.zone)
    let known = zones.map(\.zone) + changed + (remote.scope == .shared ? [] : [.defaultZone])
    unknownZones = wanted?.filter { !known.contains(where: $0.names) } ?? []
    for zone in Set(pending + changed).sorted(by: { utf8Precedes($0.text, $1.text) })
    where wants(zone) {
      try copying { try pullFeed(of: zone, since: zones.first { $0.zone == zone }?.token) }
    }
  }

  private func pullFeed(of zone: ZoneID, since token: String?) throws {
    let remote = remote
    var first = token
    for attempt in 1... {
      let pages = PageStream(from: first) { try remote.changes(in: zone, since: $0) }
      do {
        try pages.forEach { try take($0, in: zone, nil) }
        break
      } catch let error as RemoteError {
        if error.wireCode == .zoneNotFound {
          result += try copy.note(
            changed: [], deleted: [zone], token: nil, isRehearsal: options.isRehearsal)
          return
        }
        // A token that has expired, or that another server gave.
        guard attempt == 1, error.wireCode == .badRequest, pages.token != nil else { throw error }
        try copy.restart(zone, isRehearsal: options.isRehearsal)
        first = nil
      }
    }
    try finish(zone, nil)
  }

  // MARK: Queries

  private func pull(_ type: RecordType, in zone: ZoneID) throws {
    let progress = try copy.begin(type, in: zone, isRehearsal: options.isRehearsal)
    let start = QueryPlace(progress.token)
    do {
      try query(type, in: zone, from: start)
    } catch let error as RemoteError where error.wireCode == .badRequest && start.marker != nil {
      // The marker has expired; the time has not.
      try query(type, in: zone, from: QueryPlace(since: start.last))
    } catch let error as RemoteError {
      guard let code = error.wireCode, [.notFound, .badRequest, .accessDenied].contains(code)
      else { throw error }
      if code == .notFound {
        absent.append(type)
      } else {
        refused.append(RefusedType(type: type, error: error))
      }
    }
  }

  private func query(_ type: RecordType, in zone: ZoneID, from start: QueryPlace) throws {
    let remote = remote
    let pages = PageStream(from: start.text) { text in
      let place = QueryPlace(text)
      var page = try remote.query(
        type, in: zone, createdSince: place.since, after: place.marker)
      page.token =
        QueryPlace(
          since: place.since, last: page.lastCreation ?? place.last, marker: page.token
        ).text
      return page
    }
    try pages.forEach { try take($0, in: zone, type) }
    try finish(zone, type)
  }

  /// Ends a feed or a query. What it did not have is looked up, before it counts as deleted there:
  /// a query may miss what was saved in the last minutes (web-services.md, §5).
  private func finish(_ zone: ZoneID, _ type: RecordType?) throws {
    let unmet = try copy.unmet(in: zone, of: type, isRehearsal: options.isRehearsal)
    var rest = unmet.filter { met[zone]?.contains($0) != true }[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(Limits.wireOperations))
      rest = rest.dropFirst(part.count)
      try take(remote.lookup(part, in: zone), in: zone, nil, keepsPlace: true)
    }
    try copy.finish(zone, type, isRehearsal: options.isRehearsal)
  }

  // MARK: Pages

  private func take(
    _ page: RemoteDatabase.Page, in zone: ZoneID, _ type: RecordType?, keepsPlace: Bool = false
  ) throws {
    try remote.client.checkInterrupt()
    var pulled = try page.pulled(in: zone, assets)
    pulled.type = type
    if !keepsPlace { pulled.token = page.token }
    var part = try copy.take(pulled, isRehearsal: options.isRehearsal)
    // Each page of a rehearsal finds the zone missing again.
    if options.isRehearsal, met[zone] != nil { part.createdZones = 0 }
    result += part
    result.faults += page.faults
    assets.forget(pulled)
    if options.isRehearsal {
      let names = page.records.compactMap { $0.draft.name.map { RecordName(stored: $0) } }
      met[zone, default: []].formUnion(names)
    }
    meter?.advance(Int64(page.records.count))
  }
}

extension ZoneID {
  /// Whether this ID, as given on the command line, matches a zone. Without an owner it matches the
  /// zones of all owners.
  fileprivate func names(_ zone: ZoneID) -> Bool {
    self == zone || owner == .current && name == zone.name
  }
}

extension RemoteDatabase.Page {
  /// The page for the store, with the contents of its assets.
  func pulled(in zone: ZoneID, _ assets: AssetDownloads) throws -> PulledPage {
    var pulled = PulledPage(zone, records + missing.map { .deletion(of: $0) })
    pulled.unreadable = faults.compactMap { $0.recordName.map { RecordName(stored: $0) } }
    pulled.assets = try assets.contents(of: records)
    return pulled
  }
}

extension RemoteRecord {
  /// A record that the server does not have any more.
  static func deletion(of name: RecordName) -> RemoteRecord {
    var draft = RecordDraft()
    (draft.name, draft.isDeletion) = (name.text, true)
    return RemoteRecord(draft)
  }
}

/// Where a query goes on.
struct QueryPlace {
  /// The creation time from which it finds records; nil for all.
  var since: Int64?
  /// The creation time of the last record so far: where a new query goes on.
  var last: Int64?
  /// The server's marker.
  var marker: String?

  init(since: Int64?, last: Int64? = nil, marker: String? = nil) {
    (self.since, self.last, self.marker) = (since, last, marker)
  }

  /// Reads the output of `text`.
  init(_ text: String?) {
    let parts = (text ?? "").split(
      separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    (since, last) = (Int64(parts[0]), Int64(parts[1]))
    marker = parts[2].isEmpty ? nil : String(parts[2])
  }

  /// The place in the store; nil for the beginning.
  var text: String? {
    if since == nil, last == nil, marker == nil { return nil }
    let times = [since, last].map { $0.map(String.init) ?? "" }
    return "\(times[0]) \(times[1]) \(marker ?? "")"
  }
}
