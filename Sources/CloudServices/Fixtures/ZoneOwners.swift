internal import Basics
internal import CloudModel
internal import RecordStore

// The owners of private zones, whose records and shares a fixture has.
extension CloudEnvironment {
  /// The accounts that own private zones, the request's own (nil) first, then in byte order. Within
  /// a transaction.
  func owners() throws -> [Account?] {
    let names = try store.accountNames().sorted(by: utf8Precedes)
    return [nil] + (try names.map { try Account($0) }.filter { $0 != request.account })
  }

  /// The accounts that own private zones here or in another environment.
  func allOwners(with other: CloudEnvironment) throws -> [Account?] {
    let mine = try owners()
    let known = Set(mine)
    return mine + (try other.owners()).filter { !known.contains($0) && $0 != request.account }
  }

  /// Returns the private database of an account; nil for the request's account.
  func privateDatabase(of account: Account?) throws -> CloudDatabase {
    guard let account, account != request.account else { return try database(.private) }
    var request = request
    request.account = account
    return try acting(for: request).database(.private)
  }
}
