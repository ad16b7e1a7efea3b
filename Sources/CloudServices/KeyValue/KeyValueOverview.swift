internal import Basics
public import CloudModel
internal import StoreHome
internal import UbiquityStore

/// The keys of an account on one of its devices.
public struct DeviceKeys: Sendable {
  /// The device.
  public let device: Device
  /// Whether it can reach iCloud.
  public let isOnline: Bool
  /// The keys that have a value, in byte order.
  public var entries: [KeyValueEntry] = []
  /// The keys that iCloud does not have yet, removed ones, too.
  public var pending: [String] = []
  /// The keys that both the device and iCloud have changed, in byte order.
  public var conflicts: [Conflict] = []
  /// The last events, oldest first.
  public var events: [KeyValueEvent] = []

  /// A key that the next synchronization decides (kvs-documents.md A5).
  public struct Conflict: Sendable, Equatable {
    /// The key.
    public let key: String
    /// Whether the device's value will win.
    public let isWonByDevice: Bool
  }
}

extension CloudStore {
  /// The keys of an account in a container at one moment, in iCloud and on each of its devices.
  /// Throws `badContainer`.
  public func keyValueOverview(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) -> (inCloud: [KeyValueEntry], devices: [DeviceKeys]) {
    try require(id)
    let named = try people().devices
    var names = Set(named.filter { $0.value.account == account }.keys)
    names.insert(Device.cli.name)
    guard let store = try KeyValueStore(id, of: self, for: request, nil).open() else {
      return ([], names.sorted(by: utf8Precedes).map { DeviceKeys($0, named) })
    }
    return try serving {
      try store.beginRead()
      defer { store.endRead() }
      let copies = try store.copies(of: account).filter(\.isCurrent)
      names.formUnion(copies.map(\.device.name))
      let policy = try store.settings().policy
      var devices = names.sorted(by: utf8Precedes).map { DeviceKeys($0, named) }
      for copy in copies {
        guard let place = devices.firstIndex(where: { $0.device == copy.device }) else { continue }
        devices[place].entries = try store.entries(of: copy).map(\.entry)
        devices[place].pending = try store.pendingEntries(of: copy).map(\.key)
        devices[place].events = try store.events(of: copy, after: 0).suffix(20)
        devices[place].conflicts = try store.news(of: account, for: copy)
          .filter { $0.isPending && !$0.isSame }
          .map { news in
            let isWon = policy == .timestamp && news.local?.wins(over: news.server) == true
            return DeviceKeys.Conflict(key: news.key, isWonByDevice: isWon)
          }
          .sorted { utf8Precedes($0.key, $1.key) }
      }
      return (try store.serverEntries(of: account).filter { $0.value != nil }, devices)
    }
  }
}

extension DeviceKeys {
  fileprivate init(_ name: String, _ named: [String: NamedDevice]) {
    self.init(device: Device(stored: name), isOnline: named[name]?.isOnline ?? true)
  }
}
