internal import CloudModel
internal import CloudServices
internal import Foundation

/// Notices which user is signed in before each operation of an engine.
struct SyncAccount {
  let engine: CKSyncEngine

  /// Tells the delegate if another user is signed in than before. An engine that loses its user
  /// forgets its state. Throws `notAuthenticated` if none is, and the error of an account that
  /// cannot be used.
  func check() async throws {
    let known = engine.state.value.user.map { CKRecord.ID(recordName: $0) }
    let current = try await engine.database.client.perform(.reading, Self.user)
    switch (known, current) {
    case (nil, let current?):
      engine.state.change { $0.user = current.recordName }
      await post(.signIn(currentUser: current))
    case (let known?, nil):
      engine.state.change { $0 = SyncState() }
      await post(.signOut(previousUser: known))
    case (let known?, let current?) where known != current:
      engine.state.change { state in
        state = SyncState()
        state.user = current.recordName
      }
      await post(.switchAccounts(previousUser: known, currentUser: current))
    default: break
    }
    if current == nil { throw CKError(CloudError(.notAuthenticated, "No account is signed in")) }
  }

  private func post(_ change: CKSyncEngine.Event.AccountChange.ChangeType) async {
    await engine.post(.accountChange(.init(changeType: change)))
    await engine.postState()
  }

  /// The user who is signed in; nil for none.
  private static func user(_ client: Client, _ request: Request) throws -> CKRecord.ID? {
    guard let account = request.account,
      try client.cloud().store.status(of: account) != .noAccount
    else { return nil }
    return try UserRecordID().run(client, request)
  }
}
