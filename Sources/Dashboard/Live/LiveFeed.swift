#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// What happens while a live page is open: changes and notifications by any process, and the
  /// requests to the server. It reads what the store and the server remember anyway: a page that is
  /// slow costs them nothing.
  public final class LiveFeed: @unchecked Sendable {
    // Only the answer that sends the events uses it.
    private let place: Place
    private let visitor: Visitor
    private let events: LiveEvents
    private var position: LivePosition
    /// The version of the file at the last look; nil before.
    private var version: FileSystem.Version?
    private var names: Names
    /// When the names were read, in milliseconds of the monotonic clock.
    private var namesRead = Platform.monotonicMilliseconds
    /// The file that each process writes after a commit to the environment.
    public let commitFile: String

    /// The maximum number of events of a kind that are sent at once; the others are counted.
    private static let most = 10
    /// How long the names are kept, in milliseconds. Reading them looks into all environments.
    private static let namesKept: Int64 = 2000

    /// Begins after a position; nil for now.
    init(_ open: OpenPlace, _ filter: LiveFilter, after position: LivePosition?) throws {
      (place, visitor) = (open.place, open.visitor)
      events = LiveEvents(place, visitor, filter)
      names = try Names(open)
      commitFile = open.watched.environment.commitFile
      self.position = try position ?? events.now(open.watched)
    }

    /// The next events as server-sent events; nil for none.
    public func next() throws -> String? {
      let now = FileSystem.version(of: commitFile)
      var found = events.requests(after: &position, most: Self.most)
      if now != version {
        found.add(try changes())
        version = now
      }
      guard !found.events.isEmpty || found.omitted > 0 || found.hasMore else { return nil }
      var text = ""
      if found.omitted > 0 || found.hasMore {
        text += "event: omitted\ndata: \(found.omitted)\(found.hasMore ? "+" : "")\n\n"
      }
      let rows = found.events.map(\.row.text).joined()
      text += "event: rows\nid: \(position.text)\n"
      for line in rows.split(separator: "\n") { text += "data: \(line)\n" }
      return text + "\n"
    }

    /// The next changes and notifications. Another process may have replaced the files: they are
    /// opened for each look.
    private func changes() throws -> LiveEvents.Found {
      visitor.store.noteChanges(of: nil, atOnce: true)
      var request = visitor.serving(place.account, place.device)
      request.meetsFaults = false
      let environment = try visitor.store.environment(
        place.container, place.environment, for: request)
      let database = try environment.database(place.scope)
      do {
        var found = try events.changes(database, after: &position, most: Self.most, names: known)
        found.add(try events.notifications(database, after: &position, most: Self.most))
        return found
      } catch let error as CloudError where error.storage == nil {
        // The account may not look, for example because it was restricted meanwhile.
        return LiveEvents.Found()
      }
    }

    /// The names of users, which are read again from time to time.
    private func known(_ database: CloudDatabase) throws -> Names {
      let time = Platform.monotonicMilliseconds
      if time - namesRead > Self.namesKept {
        names = try Names(in: database.environment, of: visitor.store)
        namesRead = time
      }
      return names
    }
  }

  /// Reads the events of a live page.
  struct LiveEvents {
    private let place: Place
    private let server: any DashboardServer
    private let filter: LiveFilter

    init(_ place: Place, _ visitor: Visitor, _ filter: LiveFilter) {
      (self.place, server, self.filter) = (place, visitor.server, filter)
    }

    /// Events, oldest first, and how many earlier ones are left out; `hasMore` if there may be more
    /// that were not counted.
    struct Found {
      var events: [LiveEvent] = []
      var omitted = 0
      var hasMore = false

      mutating func add(_ other: Found) {
        events += other.events
        // Sorting keeps the order of simultaneous events.
        events.sort { $0.at < $1.at }
        omitted += other.omitted
        hasMore = hasMore || other.hasMore
      }
    }

    /// The position after all that has happened.
    func now(_ database: CloudDatabase) throws -> LivePosition {
      LivePosition(
        run: server.runNumber, request: server.requests(after: .max).last,
        change: try database.environment.lastChangeNumber(),
        notification: try notifications(database, after: 0, most: 0).last)
    }

    /// The last requests after a position. Failed ones are left out last.
    func requests(after position: inout LivePosition, most: Int) -> Found {
      guard filter.kinds.contains(.request) else { return Found() }
      let known = position.run == server.runNumber ? position.request : 0
      let served = server.requests(after: known)
      (position.run, position.request) = (server.runNumber, served.last)
      let wanted = served.requests.filter { request in
        request.concerns(place) && (!filter.onlyErrors || request.failure != nil)
          && filter.matches(
            request.path, request.endpoint, request.caller, request.failure, request.reason)
      }
      var shown = wanted
      if wanted.count > most {
        let failed = wanted.filter { $0.failure != nil }.suffix(most)
        let others = wanted.filter { $0.failure == nil }.suffix(most - failed.count)
        shown = (failed + others).sorted { $0.number < $1.number }
      }
      return Found(
        events: shown.map { LiveEvent($0, at: place) },
        omitted: wanted.count - shown.count, hasMore: served.forgotten > 0)
    }

    /// The last changes after a position that the account of the page may see. `names` gives the
    /// names of users.
    func changes(
      _ database: CloudDatabase, after position: inout LivePosition, most: Int,
      isFirst: Bool = false, names: (CloudDatabase) throws -> Names
    ) throws -> Found {
      guard filter.kinds.contains(.change), !filter.onlyErrors else { return Found() }
      let names = try names(database)
      let changes = try database.latestChanges(
        after: isFirst ? nil : position.change, most: most
      ) { change in
        (place.zone == nil || change.zone == place.zone)
          && filter.matches(
            change.type.text, change.record.text, change.stamp.map { names.name(of: $0.by) })
      }
      position.change = changes.last
      var seen = Timestamp(milliseconds: Platform.wallClockMilliseconds)
      if isFirst { seen = changes.changes.compactMap(\.stamp?.at).first ?? seen }
      let events = changes.changes.map { change -> LiveEvent in
        let event = LiveEvent(change, names, at: place, seen: seen)
        if isFirst { seen = event.at }
        return event
      }
      return Found(events: events, omitted: changes.omitted, hasMore: changes.hasMore)
    }

    /// The last notifications after a position to the account of the page on its device. Those that
    /// an offline device has not received yet come later.
    func notifications(
      _ database: CloudDatabase, after position: inout LivePosition, most: Int
    ) throws -> Found {
      guard filter.kinds.contains(.push), !filter.onlyErrors, place.account != nil else {
        return Found()
      }
      let (pushes, omitted, last) = try notifications(
        database, after: position.notification, most: most)
      position.notification = last
      return Found(
        events: pushes.map { LiveEvent($0, to: place.device, at: place) }, omitted: omitted)
    }

    /// The last notifications after a number, how many earlier ones are left out, and the number of
    /// the last one that the device has received.
    private func notifications(
      _ database: CloudDatabase, after number: Int64, most: Int
    ) throws -> (pushes: [PushNotification], omitted: Int, last: Int64) {
      guard place.account != nil else { return ([], 0, 0) }
      var pushes: [PushNotification] = []
      var (omitted, last) = (0, number)
      try database.environment.notifications(after: number) { push in
        last = push.number
        guard filter.matches(push.subscription.text, push.record?.text, push.info.alertBody) else {
          return true
        }
        pushes.append(push)
        if pushes.count > most {
          pushes.removeFirst()
          omitted += 1
        }
        return true
      }
      return (pushes, omitted, last)
    }
  }
#endif
