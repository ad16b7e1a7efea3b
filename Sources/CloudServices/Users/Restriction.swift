public import CloudModel
internal import RecordStore
internal import StoreHome

// Users can restrict the use of their data in a container (R11.4.9).
extension CloudEnvironment {
  /// Restricts an account's data here, or ends the restriction. Returns whether that was a change.
  public func restrict(_ account: Account, isOn: Bool) throws(CloudError) -> Bool {
    let wasOn = try isRestricted(account)
    try owner.change { [restriction] settings in
      if isOn {
        settings.accounts[account.name, default: .init()].restrictions.insert(restriction)
      } else {
        settings.accounts[account.name]?.restrictions.remove(restriction)
      }
    }
    return wasOn != isOn
  }

  /// Whether an account's data here is restricted.
  public func isRestricted(_ account: Account) throws(CloudError) -> Bool {
    try owner.setting { $0.accounts[account.name]?.restrictions.contains(restriction) } ?? false
  }

  /// Throws `permissionFailure` if an account's data is restricted.
  func requireUnrestricted(_ account: Account) throws(CloudError) {
    guard try isRestricted(account) else { return }
    throw CloudError(
      .permissionFailure, "The data of the user is restricted in this container",
      serverCode: 2007, remedy: .endRestriction(account))
  }

  private var restriction: StoreSettings.AccountSettings.Restriction {
    .init(container, environment)
  }
}
