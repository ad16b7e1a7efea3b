#if Server
  internal import CloudModel
  internal import CloudServices

  /// A place with its open database, as the account of the page sees it.
  struct OpenPlace {
    let place: Place
    let store: CloudStore
    let request: Request
    let database: CloudDatabase
    /// The zones that the account sees; empty if they could not be listed.
    let zones: [Zone]
    /// Why the zones could not be listed, for example because no account is signed in.
    let failure: CloudError?

    /// Opens a place. Throws `badContainer`.
    init(_ place: Place, in store: CloudStore, for request: Request) throws(CloudError) {
      (self.place, self.store, self.request) = (place, store, request)
      database = try store.environment(place.container, place.environment, for: request)
        .database(place.scope)
      do {
        (zones, failure) = (try database.zones(), nil)
      } catch { (zones, failure) = ([], error) }
    }

    /// The record types of the app, in byte order.
    func types() throws(CloudError) -> [RecordTypeSchema] { try database.environment.appSchema() }

    /// The maximum number of zones for which a page counts records.
    private static let mostZones = 20

    /// The number of records of each type that the account sees; empty if there are too many zones.
    func recordCounts() throws(CloudError) -> [RecordType: Int] {
      let counted = place.zone.map { [$0] } ?? zones.map(\.id)
      guard counted.count <= Self.mostZones, failure == nil else { return [:] }
      var counts: [RecordType: Int] = [:]
      for zone in counted {
        // Another process may have deleted the zone meanwhile.
        for (type, count) in (try? database.recordCounts(in: zone)) ?? [] {
          counts[type, default: 0] += count
        }
      }
      return counts
    }
  }
#endif
