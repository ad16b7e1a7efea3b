internal import Foundation

/// Fetches what changed in a database: its zones first, then their records.
struct SyncFetching {
  private let engine: CKSyncEngine
  private let delegate: any CKSyncEngineDelegate
  private let reason: CKSyncEngine.SyncReason
  private let options: CKSyncEngine.FetchChangesOptions
  /// The first pages of zones that were read to tell own changes from others'.
  private var readPages: [CKRecordZone.ID: ZoneChangesFetching.Page] = [:]
  private var state: CKSyncEngine.State { engine.state }

  init(
    _ engine: CKSyncEngine, _ delegate: any CKSyncEngineDelegate,
    _ reason: CKSyncEngine.SyncReason, _ options: CKSyncEngine.FetchChangesOptions = .init()
  ) {
    (self.engine, self.delegate) = (engine, delegate)
    (self.reason, self.options) = (reason, options)
  }

  /// The changes of zones on a page.
  private struct ZoneNews {
    var modifications: [CKDatabase.DatabaseChange.Modification] = []
    var deletions: [CKDatabase.DatabaseChange.Deletion] = []
    /// Whether the page had changes of the engine's own.
    var hasOwn = false
    var token: CKServerChangeToken
    var isMoreComing: Bool
  }

  /// Fetches all changes.
  mutating func run() async throws { try await run(from: nil) }

  /// Fetches all changes if there are any that the engine did not make itself.
  mutating func runIfNeeded() async throws {
    let news = try await nextZones()
    let isNew = !news.modifications.isEmpty || !news.deletions.isEmpty || news.isMoreComing
    if isNew || !state.value.unfetched.isEmpty { return try await run(from: news) }
    // A token alone is not worth an event.
    if news.hasOwn { state.change { $0.databaseToken = news.token } }
  }

  private mutating func run(from first: ZoneNews?) async throws {
    let asked = CKSyncEngine.FetchChangesContext(reason: reason, options: options)
    let chosen = await engine.calling {
      await delegate.nextFetchChangesOptions(asked, syncEngine: engine)
    }
    let context = CKSyncEngine.FetchChangesContext(reason: reason, options: chosen)
    await engine.post(.willFetchChanges(.init(context: context)))
    let error: CKError?
    do {
      try await fetchZones(from: first)
      error = try await fetchRecords(chosen)
    } catch let failure { error = CKError(any: failure) }
    await engine.postState()
    await engine.post(.didFetchChanges(.init(context: context)))
    if let error { throw error }
  }

  // MARK: Zones

  private mutating func fetchZones(from first: ZoneNews?) async throws {
    var next = first
    while true {
      let news = if let next { next } else { try await nextZones() }
      next = nil
      state.change { state in
        state.databaseToken = news.token
        for zone in news.modifications { state.addUnfetched(zone.zoneID) }
        for zone in news.deletions { state.forgetZone(zone.zoneID) }
      }
      if !news.modifications.isEmpty || !news.deletions.isEmpty {
        await engine.post(
          .fetchedDatabaseChanges(
            .init(modifications: news.modifications, deletions: news.deletions)))
      }
      await engine.postState()
      if !news.isMoreComing { return }
    }
  }

  /// Fetches a page of the database's feed, without the engine's own changes.
  private mutating func nextZones() async throws -> ZoneNews {
    let page = try await databasePage()
    var news = ZoneNews(token: page.token, isMoreComing: page.isMoreComing)
    for zone in page.deleted {
      if state.change({ $0.takeOwnDeletion(zone.zoneID) }) {
        news.hasOwn = true
      } else {
        news.deletions.append(.init(zoneID: zone.zoneID, reason: .init(zone.reason)))
      }
    }
    for zoneID in page.changed {
      // One that was made again is another's now.
      _ = state.change { $0.takeOwnDeletion(zoneID) }
      if await isOwnChange(of: zoneID) {
        news.hasOwn = true
      } else {
        news.modifications.append(.init(zoneID: zoneID))
      }
    }
    return news
  }

  private func databasePage() async throws -> DatabaseChangesFetching.Page {
    let client = engine.database.client
    func fetch(_ token: CKServerChangeToken?) async throws -> DatabaseChangesFetching.Page {
      try await client.perform(
        .reading, DatabaseChangesFetching(token: token, scope: engine.database.scope).run)
    }
    do { return try await fetch(state.value.databaseToken) } catch CKError.changeTokenExpired {
      state.change { $0.forgetPlaces() }
      return try await fetch(nil)
    }
  }

  /// Whether a zone changed only by what the engine sent. Its feed is passed as far as that is so.
  private mutating func isOwnChange(of zoneID: CKRecordZone.ID) async -> Bool {
    let known = state.value
    guard known.hasOwnChanges(in: zoneID), !known.unfetched.contains(zoneID) else { return false }
    while true {
      // A failure is that of fetching the records, later.
      guard let page = try? await page(of: zoneID) else { return false }
      guard RecordNews(page, state.value).isEmpty else {
        readPages[zoneID] = page
        return false
      }
      state.change { $0.pass(page, of: zoneID) }
      if !page.isMoreComing { return true }
    }
  }

  // MARK: Records

  /// Fetches the records of the zones that changed. Returns the first error of a zone; throws one
  /// that ends the whole.
  private mutating func fetchRecords(
    _ options: CKSyncEngine.FetchChangesOptions
  ) async throws -> CKError? {
    let zones = state.value.unfetched.filter { options.scope.contains($0) }
    let first = options.prioritizedZoneIDs.filter { zones.contains($0) }
    var firstError: CKError?
    for zoneID in first + zones.filter({ !first.contains($0) }) {
      await engine.post(.willFetchRecordZoneChanges(.init(zoneID: zoneID)))
      var error: CKError?
      do { error = try await fetchRecords(of: zoneID) } catch let failure {
        error = CKError(any: failure)
      }
      if error?.code == .zoneNotFound || error?.code == .userDeletedZone {
        state.change { $0.forgetZone(zoneID) }
      }
      await engine.post(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error)))
      await engine.postState()
      if let error, error.isTransient { throw error }
      firstError = firstError ?? error
    }
    return firstError
  }

  /// Fetches the records of a zone page by page. Returns the error of a record that could not be
  /// read.
  private mutating func fetchRecords(of zoneID: CKRecordZone.ID) async throws -> CKError? {
    while true {
      let known = readPages.removeValue(forKey: zoneID)
      let page = if let known { known } else { try await page(of: zoneID) }
      let news = RecordNews(page, state.value)
      // A page with a record that cannot be read is fetched again.
      if news.error == nil { state.change { $0.pass(page, of: zoneID) } }
      if !news.modifications.isEmpty || !news.deletions.isEmpty {
        await engine.post(
          .fetchedRecordZoneChanges(
            .init(modifications: news.modifications, deletions: news.deletions)))
      }
      await engine.postState()
      if let error = news.error { return error }
      if !page.isMoreComing { return nil }
      if Task.isCancelled { throw CKError.cancelled }
    }
  }

  private func page(of zoneID: CKRecordZone.ID) async throws -> ZoneChangesFetching.Page {
    let client = engine.database.client
    func fetch(_ token: CKServerChangeToken?) async throws -> ZoneChangesFetching.Page {
      try await client.perform(
        .reading,
        ZoneChangesFetching(zoneID: zoneID, token: token, scope: engine.database.scope).run)
    }
    do { return try await fetch(state.value.zoneTokens[zoneID]) } catch CKError.changeTokenExpired {
      state.change { $0.zoneTokens[zoneID] = nil }
      return try await fetch(nil)
    }
  }
}

/// The changes of records on a page that the engine did not make itself.
private struct RecordNews {
  var modifications: [CKDatabase.RecordZoneChange.Modification] = []
  var deletions: [CKDatabase.RecordZoneChange.Deletion] = []
  /// Why a record could not be read; nil if all could.
  var error: CKError?

  init(_ page: ZoneChangesFetching.Page, _ state: SyncState) {
    for (_, result) in page.changed {
      switch result {
      case .success(let record):
        if !state.isOwn(record) { modifications.append(.init(record: record)) }
      case .failure(let failure): error = error ?? CKError(any: failure)
      }
    }
    for (id, type) in page.deleted where !state.isOwnDeletion(id) {
      deletions.append(.init(recordID: id, recordType: type))
    }
  }

  var isEmpty: Bool { modifications.isEmpty && deletions.isEmpty && error == nil }
}

extension SyncState {
  /// Notes that a page of a zone's feed was read.
  fileprivate mutating func pass(_ page: ZoneChangesFetching.Page, of zoneID: CKRecordZone.ID) {
    zoneTokens[zoneID] = page.token
    if page.isMoreComing { return }
    removeUnfetched(zoneID)
    passEnd(of: zoneID)
  }
}
