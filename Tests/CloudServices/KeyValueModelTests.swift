internal import Basics
internal import CloudModel
internal import CloudServices
internal import TestSupport
internal import Testing

/// The key-value store against a model: the last write of each key wins, by the devices' clocks
/// (K27, K28, K37), and no value changes on a device without an event (A4).
@Suite struct KeyValueModelTests {
  private static let devices = ["mac", "pad", "phone"].map { Device(stored: $0) }
  private static let accounts = ["ann", "bob"].map { Account(stored: $0) }
  private static let keys = (0..<12).map { "k\($0)" }

  /// A write, as the model compares it.
  private struct Write {
    let value: PropertyListValue?
    let time: Int64
    let device: Device

    func isLater(than other: Write?) -> Bool {
      guard let other else { return true }
      return time != other.time
        ? time > other.time : !utf8Precedes(device.name, other.device.name)
    }
  }

  /// Three devices with different clocks, two accounts, and the expected values.
  private final class World {
    let fixture: CloudFixture
    var random: SplitMix64
    var tick: Int64 = 0
    var offsets: [Device: Int64] = [:]
    var signedIn: [Device: Account?] = [:]
    /// The last write of each key of an account.
    var last: [Account: [String: Write]] = [:]
    private var open: [Device: KeyValueStore] = [:]
    /// The writes on a device while it had no account.
    var unsigned: [Device: [String: Write]] = [:]

    init(_ seed: UInt64) throws {
      fixture = try CloudFixture(seed: seed)
      random = SplitMix64(state: seed)
      for device in KeyValueModelTests.devices {
        let offset = Int64(random.next() % 7) - 3
        offsets[device] = offset
        signedIn[device] = .some(KeyValueModelTests.accounts[0])
        _ = try fixture.store.add(
          device, NamedDevice(clockOffset: offset, account: KeyValueModelTests.accounts[0]))
      }
    }

    func pick<T>(_ all: [T]) -> T { all[Int(random.next() % UInt64(all.count))] }

    func request(_ device: Device) -> Request {
      var request = fixture.request
      request.account = signedIn[device] ?? nil
      request.device = device
      request.fixedClock = Timestamp(milliseconds: CloudFixture.noon.milliseconds + tick)
      return request
    }

    /// The key-value store of a device, kept open until its account or its network changes.
    func keys(_ device: Device) throws -> KeyValueStore {
      if let known = open[device] { return known }
      let opened = try fixture.store.keyValueStore(fixture.container, for: request(device))
      open[device] = opened
      return opened
    }

    func setOnline(_ isOnline: Bool, _ device: Device) throws {
      try fixture.store.setOnline(
        isOnline, device, of: signedIn[device] ?? nil, for: request(device))
      open[device] = nil
    }

    func values(_ device: Device) throws -> [String: PropertyListValue] {
      var values: [String: PropertyListValue] = [:]
      for (entry, _) in try keys(device).entries() { values[entry.key] = entry.value }
      return values
    }

    /// Writes one to three keys at the time of the device.
    func write(on device: Device) throws {
      tick += 1
      let time = CloudFixture.noon.milliseconds + tick + (offsets[device] ?? 0)
      var values: [(key: String, value: PropertyListValue?)] = []
      for _ in 0..<(random.next() % 3 + 1) {
        let key = pick(KeyValueModelTests.keys)
        if values.contains(where: { $0.key == key }) { continue }
        let value: PropertyListValue? = random.next() % 4 == 0 ? nil : .integer(Int64(tick))
        values.append((key, value))
        let write = Write(value: value, time: time, device: device)
        if let account = signedIn[device] ?? nil {
          if write.isLater(than: last[account]?[key]) { last[account, default: [:]][key] = write }
        } else {
          unsigned[device, default: [:]][key] = write
        }
      }
      try keys(device).set(values, at: Timestamp(milliseconds: time))
    }

    /// Signs a device in or out; the account takes over writes that were made without one.
    func sign(in account: Account?, on device: Device) throws {
      try fixture.store.change(device, of: account, for: request(device)) { $0.account = account }
      signedIn[device] = .some(account)
      open[device] = nil
      guard let account else { return }
      for (key, write) in unsigned.removeValue(forKey: device) ?? [:]
      where write.isLater(than: last[account]?[key]) {
        last[account, default: [:]][key] = write
      }
    }

    /// Does work that may change values, and expects an event for each change.
    func expectingEvents(on device: Device, _ work: () throws -> Void) throws {
      let (before, number) = (try values(device), try keys(device).events().last?.number ?? 0)
      try work()
      let after = try values(device)
      let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      let events = try keys(device).events(after: number)
      let known = Set(events.flatMap(\.keys))
      try #require(known == changed, "tick \(tick), \(device.name)")
      try #require(events.count <= 1)
    }
  }

  @Test("K37: all copies become the last writes, and each change has an event", arguments: 0..<10)
  func lastWriter(_ seed: UInt64) throws {
    let world = try World(seed)
    for _ in 0..<10_000 {
      let device = world.pick(Self.devices)
      switch world.random.next() % 100 {
      case 0..<60: try world.write(on: device)
      case 60..<94:
        try world.expectingEvents(on: device) { _ = try world.keys(device).synchronize() }
      case 94..<96: try world.setOnline(world.random.next() % 2 == 0, device)
      case 96..<99:
        let account = world.pick(Self.accounts)
        try world.expectingEvents(on: device) { try world.sign(in: account, on: device) }
      case _: try world.expectingEvents(on: device) { try world.sign(in: nil, on: device) }
      }
    }
    for account in Self.accounts {
      for device in Self.devices {
        try world.setOnline(true, device)
        try world.sign(in: account, on: device)
      }
      for device in Self.devices + Self.devices { _ = try world.keys(device).synchronize() }
      var expected: [String: PropertyListValue] = [:]
      for (key, write) in world.last[account] ?? [:] { expected[key] = write.value }
      for device in Self.devices {
        #expect(try world.values(device) == expected, "\(account.name) on \(device.name)")
      }
    }
    let findings = try world.fixture.store.examine(isDeep: true, for: world.fixture.request)
      .flatMap(\.findings)
    #expect(findings.allSatisfy { $0.code == .library }, "\(findings)")
  }

  @Test(
    "a write is later than what its device has seen, unless the device's clock is behind (K29)",
    arguments: [(0, true), (-50, true), (-3_600_000, false)])
  func following(_ offset: Int64, _ wins: Bool) throws {
    let fixture = try CloudFixture()
    let (ann, phone, pad) = (Account(stored: "ann"), Device(stored: "phone"), Device(stored: "pad"))
    func keys(_ device: Device) throws -> KeyValueStore {
      var request = fixture.request
      (request.account, request.device) = (ann, device)
      return try fixture.store.keyValueStore(fixture.container, for: request)
    }
    // The fixture's clock is frozen: at equal times the later name would win.
    _ = try fixture.store.add(pad, NamedDevice(clockOffset: offset, account: ann))
    try keys(phone).set([("a", .integer(1))])
    for device in [phone, pad] { _ = try keys(device).synchronize() }
    try keys(pad).set([("a", .integer(2))])
    for device in [pad, phone] { _ = try keys(device).synchronize() }
    for device in [pad, phone] {
      #expect(try keys(device).value("a") == .integer(wins ? 2 : 1))
    }
  }

  @Test("a sync without changes writes nothing")
  func nothingToDo() throws {
    let world = try World(1)
    let phone = Device(stored: "phone")
    try world.write(on: phone)
    for device in Self.devices + Self.devices { _ = try world.keys(device).synchronize() }
    let folder =
      world.fixture.store.path + "/containers/\(world.fixture.container.text)/ubiquity"
    func contents() throws -> [[UInt8]] {
      try ["ubiquity.sqlite", "ubiquity.sqlite-wal", "lock"].map {
        try FileSystem.contents(of: "\(folder)/\($0)")
      }
    }
    let before = try contents()
    for device in Self.devices {
      #expect(try world.keys(device).synchronize() == KeyValueSynchronization())
    }
    #expect(try contents() == before)
  }
}
