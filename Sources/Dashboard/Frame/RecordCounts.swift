#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The numbers of records beside the types. Counting a million records takes 30 ms, and most
  /// pages are shown again before a zone changes: so a zone is counted again when its sequence or
  /// its number of records has changed.
  final class RecordCounts: Sendable {
    private let known = Locked<[Key: Counted]>([:])
    /// How many zones are remembered; then all are forgotten.
    private static let most = 500

    /// A zone as an account sees it.
    private struct Key: Hashable {
      let container: ContainerID
      let environment: Environment
      let account: Account?
      let zone: ZoneID
    }

    private struct Counted: Sendable {
      let sequence: Int64
      let total: Int
      let counts: [(RecordType, Int)]
    }

    /// The number of records of each type in a zone. Other users' permissions decide what an
    /// account sees in the other databases: only a private one is remembered.
    func counts(of zone: Zone, _ open: OpenPlace) throws(CloudError) -> [(RecordType, Int)] {
      guard open.place.scope == .private else { return try open.watched.recordCounts(in: zone.id) }
      let key = Key(
        container: open.place.container, environment: open.place.environment,
        account: open.place.account, zone: zone.id)
      if let counted = known.withLock({ $0[key] }), counted.sequence == zone.sequence,
        counted.total == zone.recordCount
      {
        return counted.counts
      }
      let counts = try open.watched.recordCounts(in: zone.id)
      let counted = Counted(sequence: zone.sequence, total: zone.recordCount, counts: counts)
      known.withLock { known in
        if known.count >= Self.most { known.removeAll() }
        known[key] = counted
      }
      return counts
    }
  }
#endif
