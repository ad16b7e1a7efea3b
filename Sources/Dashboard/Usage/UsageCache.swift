#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// When records were created, and by whom. Reading it takes long for many records: the records of
  /// an environment are read again only after a commit.
  final class UsageCache: Sendable {
    private let known = Locked<[String: Known]>([:])

    private struct Known: Sendable {
      let version: FileSystem.Version?
      let counts: [CreationCount]
    }

    /// The records of an environment by the day of their creation and their creator.
    func creations(_ open: OpenPlace) throws(CloudError) -> [CreationCount] {
      let key = "\(open.place.container.text)/\(open.place.environment.rawValue)"
      let environment = open.watched.environment
      let version = FileSystem.version(of: environment.commitFile)
      if let known = known.withLock({ $0[key] }), known.version == version { return known.counts }
      let counts = try environment.creationCounts()
      known.withLock { $0[key] = Known(version: version, counts: counts) }
      return counts
    }
  }
#endif
