internal import CloudModel
internal import RecordStore

/// A write transaction of a request: its database, its writer, and its notices.
struct WriteTransaction {
  let database: CloudDatabase
  /// The user who writes.
  let writer: StoredUser
  /// The contents that the account may use by their hash.
  let readableAssets: ReadableAssets
  private let noted: NoticeList

  /// The notices of one transaction, which its parts in several databases share.
  private final class NoticeList {
    var all: [Notice] = []
  }

  /// Begins as the request's account, whose user is created by its first write. Throws as
  /// `requireAccount`.
  init(in database: CloudDatabase) throws {
    self.database = database
    noted = NoticeList()
    readableAssets = ReadableAssets(of: database.environment)
    let (environment, account) = (database.environment, try database.requireAccount())
    try environment.requireUnrestricted(account)
    let (writer, notice) = try environment.writer(account, on: database.device)
    self.writer = writer
    if let notice { noted.all.append(notice) }
  }

  private init(
    in database: CloudDatabase, _ writer: StoredUser, _ readableAssets: ReadableAssets,
    _ transaction: WriteTransaction
  ) {
    (self.database, self.writer) = (database, writer)
    (self.readableAssets, noted) = (readableAssets, transaction.noted)
  }

  /// The part of the transaction in another database of the environment.
  func part(in scope: DatabaseScope) throws(CloudError) -> WriteTransaction {
    WriteTransaction(
      in: try database.environment.database(scope), writer, readableAssets, self)
  }

  /// The part of the transaction in the private database of an account, which acts there; nil for
  /// the request's account. Throws `CloudError`.
  func part(inPrivateOf account: Account?) throws -> WriteTransaction {
    guard let account, account != database.account else { return try part(in: .private) }
    var request = request
    request.account = account
    let environment = environment.acting(for: request)
    let (writer, notice) = try environment.writer(account, on: request.device)
    if let notice { noted.all.append(notice) }
    return WriteTransaction(
      in: try environment.database(.private), writer, ReadableAssets(of: environment), self)
  }

  var environment: CloudEnvironment { database.environment }
  var store: EnvironmentStore { database.store }
  var request: Request { database.environment.request }

  /// The notices so far.
  var notices: [Notice] { noted.all }

  /// Adds a notice.
  func note(_ notice: Notice) { noted.all.append(notice) }

  /// Does a part of the transaction, all or nothing. Throws what `work` throws.
  func attempt<T>(_ work: () throws -> T) throws -> T {
    let before = noted.all
    do { return try store.attempt(work) } catch {
      noted.all = before
      throw error
    }
  }
}
