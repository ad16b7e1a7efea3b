internal import Basics
internal import CloudModel
internal import CloudServices

extension Context {
  /// The maximum number of lines to list.
  private static let listed = 20

  /// Lists unsent work.
  func report(_ work: [UnsentWork]) {
    for item in work.prefix(Self.listed) { report(item.text) }
    if work.count > Self.listed { report("and \(work.count - Self.listed) more") }
  }

  /// Asks before an account signs out of a device that has unsent work, which stays out of reach
  /// until the account signs in there again. Throws as `confirm` does.
  func confirmSignOut(of device: Device, for next: Account?) throws {
    let store = try store()
    guard let account = try store.device(device)?.account, account != next else { return }
    let work = try store.unsentWork(on: device, of: account, for: request())
    if work.isEmpty { return }
    report(work)
    try confirm(
      "sign \(account.name) out of \(device.name) and leave \(work.count.counted("item")) that "
        + "only it has until \(account.name) signs in again")
  }
}

extension UnsentWork {
  /// A one-line description.
  fileprivate var text: String {
    let owner = account.map { "of \($0.name)" } ?? "written while no account was signed in,"
    return "only \(device.name) has \(subject.text) \(owner) in \(container.text)"
  }
}

extension UnsentWork.Subject {
  fileprivate var text: String {
    switch self {
    case .key(let key): "key \(key)"
    case .contents(let path): path.text
    case .path(let path): "the new path \(path.text)"
    case .removal(let path): "the removal of \(path.text)"
    case .versions(let path): "versions of \(path.text), or decisions about them,"
    case .edit(let path): "unsaved changes to \(path.text)"
    }
  }
}
