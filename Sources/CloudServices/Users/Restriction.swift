public import CloudModel
internal import RecordStore

// A user can freeze his data in a container (R11.4.9).
extension CloudEnvironment {
  /// Freezes an account's data here, or ends that. Returns whether it was otherwise.
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

  /// Whether an account's data here is frozen.
  public func isRestricted(_ account: Account) throws(CloudError) -> Bool {
    try owner.currentSettings().accounts[account.name]?.restrictions.contains(restriction) ?? false
  }

  /// Throws `permissionFailure` where an account's data is frozen.
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
