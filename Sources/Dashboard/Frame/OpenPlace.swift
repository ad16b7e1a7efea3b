#if Server
  internal import CloudModel
  internal import CloudServices

  /// A place whose database is open for the account that a page acts as.
  struct OpenPlace {
    let place: Place
    let store: CloudStore
    let request: Request
    let database: CloudDatabase
    /// The zones that the account sees; none if the database refuses to list them.
    let zones: [Zone]
    /// The error for which the zones could not be listed, such as nobody being signed in.
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

    /// The most zones whose records are counted for a page.
    private static let mostZones = 20

    /// How many records of each type the account sees at the place; none if that would take long.
    func recordCounts() throws(CloudError) -> [RecordType: Int] {
      let counted = place.zone.map { [$0] } ?? zones.map(\.id)
      guard counted.count <= Self.mostZones, failure == nil else { return [:] }
      var counts: [RecordType: Int] = [:]
      for zone in counted {
        // Another process may have deleted the zone.
        for (type, count) in (try? database.recordCounts(in: zone)) ?? [] {
          counts[type, default: 0] += count
        }
      }
      return counts
    }
  }
#endif
