internal import Basics
internal import CloudModel
internal import CloudServices
@_exported public import Foundation

/// A request to iCloud, as an `Operation`: queues start it, and it can wait for others.
///
/// An app sets an operation up before it starts; afterwards only its own work reads what was set,
/// and a lock protects its state. So the compiler need not check what threads share.
open class CKOperation: Operation, @unchecked Sendable {
  /// The identity of an operation.
  public typealias ID = String

  /// How requests use the network; kept, and without effect here.
  public final class Configuration: NSObject, NSCopying, @unchecked Sendable {
    /// The container; nil for that of the database.
    public var container: CKContainer?
    /// How important the result is to the user.
    public var qualityOfService: QualityOfService = .default
    /// Whether the operation may use a mobile network.
    public var allowsCellularAccess = true
    /// Whether the operation goes on after the app's end.
    public var isLongLived = false
    /// The seconds that a request may take.
    public var timeoutIntervalForRequest: TimeInterval = 60
    /// The seconds that all requests of the operation may take.
    public var timeoutIntervalForResource: TimeInterval = 604_800

    /// Returns an independent copy.
    public func copy(with zone: NSZone? = nil) -> Any {
      let copy = Configuration()
      (copy.container, copy.qualityOfService) = (container, qualityOfService)
      (copy.allowsCellularAccess, copy.isLongLived) = (allowsCellularAccess, isLongLived)
      copy.timeoutIntervalForRequest = timeoutIntervalForRequest
      copy.timeoutIntervalForResource = timeoutIntervalForResource
      return copy
    }
  }

  /// How the operation's requests use the network: a copy of what is set; nil sets the usual one.
  public var configuration: Configuration! {
    get { ownConfiguration }
    set { ownConfiguration = newValue?.copy() as? Configuration ?? Configuration() }
  }

  private var ownConfiguration = Configuration()
  /// The container that started the operation.
  private var startedBy: CKContainer?
  /// The group of the operation; nil for none.
  public var group: CKOperationGroup?
  /// The identity of the operation.
  public let operationID: CKOperation.ID = UUID().uuidString
  /// Called when a long-lived operation would go on after the app's end.
  public var longLivedOperationWasPersistedBlock: (() -> Void)?

  private let life = Locked(Life())
  let cancellation = Cancellation()
  private let callbacks = Callbacks.queue()
  /// Who acts if the operation names no database: the task that made it.
  private let acting = ActingClient.ofTask

  private struct Life: Sendable {
    var isQueued = false
    var isExecuting = false
    var isFinished = false
  }

  /// Creates an operation.
  public override init() { super.init() }

  // MARK: What the configuration has

  /// The container; nil for that of the database.
  public var container: CKContainer? {
    get { configuration.container }
    set { configuration.container = newValue }
  }

  /// Whether the operation may use a mobile network.
  public var allowsCellularAccess: Bool {
    get { configuration.allowsCellularAccess }
    set { configuration.allowsCellularAccess = newValue }
  }

  /// Whether the operation goes on after the app's end.
  public var isLongLived: Bool {
    get { configuration.isLongLived }
    set { configuration.isLongLived = newValue }
  }

  /// The seconds that a request may take.
  public var timeoutIntervalForRequest: TimeInterval {
    get { configuration.timeoutIntervalForRequest }
    set { configuration.timeoutIntervalForRequest = newValue }
  }

  /// The seconds that all requests of the operation may take.
  public var timeoutIntervalForResource: TimeInterval {
    get { configuration.timeoutIntervalForResource }
    set { configuration.timeoutIntervalForResource = newValue }
  }

  // MARK: Life

  /// The work goes on after `start` returns.
  open override var isAsynchronous: Bool { true }
  /// Whether the operation is at work.
  open override var isExecuting: Bool { life.withLock { $0.isExecuting } }
  /// Whether the operation has ended: all its blocks were called.
  open override var isFinished: Bool { life.withLock { $0.isFinished } }

  /// Notes that a queue has the operation.
  func enqueue() {
    let isNew = life.withLock { life in
      defer { life.isQueued = true }
      return !life.isQueued && !life.isExecuting && !life.isFinished
    }
    precondition(isNew, "operation is already enqueued on a queue")
  }

  /// Uses a container, unless the operation names one.
  func use(_ container: CKContainer) {
    enqueue()
    startedBy = container
  }

  /// Starts the operation. A cancelled one ends with `operationCancelled`.
  open override func start() {
    let isFirst = life.withLock { life in
      defer { life.isExecuting = true }
      return !life.isExecuting && !life.isFinished
    }
    precondition(isFirst, "an operation can be started only once")
    willChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isExecuting)
    if isLongLived, let wasPersisted = longLivedOperationWasPersistedBlock {
      call { wasPersisted() }
    }
    execute()
  }

  /// Ends the operation's work, and takes its change back unless it was committed. Its blocks get
  /// `operationCancelled`.
  open override func cancel() {
    super.cancel()
    cancellation.cancel()
  }

  /// Calls blocks, one by one, on the operation's queue.
  func call(_ body: @escaping () -> Void) {
    let body = UncheckedBlock(body)
    callbacks.async { body.call() }
  }

  /// Calls the last blocks, then ends the operation and releases its blocks.
  func finish(_ body: @escaping () -> Void) {
    call {
      body()
      self.releaseBlocks()
      self.willChangeValue(for: \.isExecuting)
      self.willChangeValue(for: \.isFinished)
      self.life.withLock { ($0.isExecuting, $0.isFinished) = (false, true) }
      self.didChangeValue(for: \.isExecuting)
      self.didChangeValue(for: \.isFinished)
    }
  }

  /// Does a piece of the operation's work, and passes its result to `body` on the operation's
  /// queue.
  func run<T: Sendable>(
    _ access: Client.Access, _ work: @escaping @Sendable (Client, Request) throws -> T,
    then body: @escaping (Result<T, any Error>) -> Void
  ) {
    let body = UncheckedBlock(body)
    client.run(access, cancellation, work) { result in
      self.callbacks.async { body.call(result) }
    }
  }

  // MARK: For the kinds of operations

  /// Does the work; calls `finish` at its end.
  func execute() { finish {} }

  /// Releases the blocks, which often refer to the operation.
  func releaseBlocks() { longLivedOperationWasPersistedBlock = nil }

  /// The app that acts.
  var client: Client {
    let named = container ?? group?.defaultConfiguration.container ?? startedBy
    return (named ?? defaultContainer).client
  }

  /// The container of an operation that names none.
  var defaultContainer: CKContainer { (acting ?? .current).defaultContainer() }
}

/// A block of an app, which the operation's queue calls. The app may not have declared what it uses
/// safe for threads; like Apple's framework, the operation calls its blocks one by one.
private struct UncheckedBlock<each Argument>: @unchecked Sendable {
  private let body: (repeat each Argument) -> Void

  init(_ body: @escaping (repeat each Argument) -> Void) { self.body = body }

  func call(_ argument: repeat each Argument) { body(repeat each argument) }
}

/// An operation of a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  /// The database; nil for the private one of the default container.
  public var database: CKDatabase?

  override var client: Client { database?.client ?? super.client }

  /// The scope of the database.
  var scope: DatabaseScope { database?.scope ?? .private }
}

/// Operations that belong together, as logs and tools show them.
public final class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
  /// About how much the operations of a group transfer.
  public enum TransferSize: Int, Sendable {
    case unknown = 0
    case kilobytes
    case megabytes
    case tensOfMegabytes
    case hundredsOfMegabytes
    case gigabytes
    case tensOfGigabytes
    case hundredsOfGigabytes
  }

  /// The identity of the group.
  public let operationGroupID: String
  /// The configuration of operations that have none.
  public var defaultConfiguration: CKOperation.Configuration! {
    get { ownConfiguration }
    set {
      ownConfiguration = newValue?.copy() as? CKOperation.Configuration ?? .init()
    }
  }

  private var ownConfiguration = CKOperation.Configuration()
  /// A name for people; nil for none.
  public var name: String?
  /// How many operations the app expects.
  public var quantity = 0
  /// About how much the operations send.
  public var expectedSendSize = TransferSize.unknown
  /// About how much the operations receive.
  public var expectedReceiveSize = TransferSize.unknown

  /// Creates a group.
  public override init() { operationGroupID = UUID().uuidString }

  /// Groups can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let id = "OperationGroupID"
    static let name = "OperationGroupName"
    static let quantity = "OperationGroupQuantity"
    static let sendSize = "ExpectedSendSize"
    static let receiveSize = "ExpectedReceiveSize"
  }

  /// Writes the group to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(operationGroupID as NSString, forKey: Key.id)
    coder.encode(name.map { $0 as NSString }, forKey: Key.name)
    coder.encode(quantity, forKey: Key.quantity)
    coder.encode(expectedSendSize.rawValue, forKey: Key.sendSize)
    coder.encode(expectedReceiveSize.rawValue, forKey: Key.receiveSize)
  }

  /// Reads a group from a keyed archive.
  public init(coder aDecoder: NSCoder) {
    operationGroupID = aDecoder.string(forKey: Key.id) ?? UUID().uuidString
    name = aDecoder.string(forKey: Key.name)
    quantity = aDecoder.integer(forKey: Key.quantity) ?? 0
    super.init()
    func size(_ key: String) -> TransferSize {
      aDecoder.integer(forKey: key).flatMap(TransferSize.init) ?? .unknown
    }
    (expectedSendSize, expectedReceiveSize) = (size(Key.sendSize), size(Key.receiveSize))
  }
}
