import Basics
import CloudKitTesting
import TestSupport
import Testing

/// `NSUbiquitousKeyValueStore` (kvs-documents.md, part A).
@Suite("NSUbiquitousKeyValueStore", .timeLimit(.minutes(5)))
struct KeyValueStoreTests {
  private let app = "iCloud.com.example.game"

  /// The notifications that a store posted, as an observer gets them.
  private final class Observer: Sendable {
    private let posted = Locked<[(reason: Int, keys: [String])]>([])
    private let token: Token

    private final class Token: @unchecked Sendable {
      // Only `init` and `deinit` of the observer use it.
      var token: (any NSObjectProtocol)?
      deinit { if let token { NotificationCenter.default.removeObserver(token) } }
    }

    init(_ store: NSUbiquitousKeyValueStore) {
      token = Token()
      token.token = NotificationCenter.default.addObserver(
        forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store,
        queue: nil
      ) { [weak self] notification in
        let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
        let keys = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
        self?.posted.withLock { $0.append((reason?.intValue ?? -1, keys ?? [])) }
      }
    }

    var all: [(reason: Int, keys: [String])] { posted.withLock { $0 } }
  }

  /// Waits until a condition holds; the test's time limit ends it otherwise.
  private func wait(until condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test("two devices and an observer: the level of a game (Apple's key-value sample)")
  func twoDevices() async throws {
    let cloud = try LocalCloud()
    let phoneStore = cloud.keyValueStore(app, account: "ann", device: "phone")
    let padStore = cloud.keyValueStore(app, account: "ann", device: "pad")
    let (phone, pad) = (Observer(phoneStore), Observer(padStore))

    let levelKey = "AvailableLevels"
    phoneStore.set(Int64(13), forKey: levelKey)
    phoneStore.set("Ann", forKey: "PlayerName")
    #expect(phoneStore.synchronize())
    try await wait { padStore.longLong(forKey: levelKey) == 13 }
    try await wait { pad.all.flatMap(\.keys).contains("PlayerName") }
    #expect(padStore.string(forKey: "PlayerName") == "Ann")
    #expect(
      pad.all.allSatisfy {
        [NSUbiquitousKeyValueStoreServerChange, NSUbiquitousKeyValueStoreInitialSyncChange]
          .contains($0.reason)
      })

    // The pad is ahead by now; its own writes make no notification there.
    let count = pad.all.count
    padStore.set(Int64(14), forKey: levelKey)
    try await wait { phoneStore.longLong(forKey: levelKey) == 14 }
    try await wait { phone.all.contains { $0.keys == [levelKey] } }
    #expect(pad.all.count == count)
    #expect(phone.all.last?.reason == NSUbiquitousKeyValueStoreServerChange)
    phoneStore.removeObject(forKey: "PlayerName")
    try await wait { padStore.object(forKey: "PlayerName") == nil }
    #expect(phoneStore.dictionaryRepresentation.keys.sorted() == [levelKey])
  }

  @Test("each type comes back; typed getters convert numbers as NSNumber does (A2)")
  func types() throws {
    let store = try LocalCloud().keyValueStore(app)
    let date = Date(timeIntervalSince1970: 1_700_000_000.125)
    store.set("text", forKey: "s")
    store.set(Data([1, 2]), forKey: "d")
    store.set(date, forKey: "t")
    store.set(2.75, forKey: "r")
    store.set(true, forKey: "b")
    store.set(Int64.max, forKey: "i")
    store.set([1, "a", [true]] as [Any], forKey: "l")
    store.set(["x": 1, "y": ["z": "deep"]] as [String: Any], forKey: "m")
    #expect(store.string(forKey: "s") == "text")
    #expect(store.data(forKey: "d") == Data([1, 2]))
    #expect(store.object(forKey: "t") as? Date == date)
    #expect(store.double(forKey: "r") == 2.75)
    #expect(store.longLong(forKey: "r") == 2)
    #expect(store.bool(forKey: "r"))
    #expect(store.bool(forKey: "b"))
    #expect(store.longLong(forKey: "b") == 1)
    #expect(store.double(forKey: "b") == 1)
    #expect(store.longLong(forKey: "i") == .max)
    #expect(store.array(forKey: "l")?.count == 3)
    let map = try #require(store.dictionary(forKey: "m"))
    #expect(map["x"] as? Int == 1)
    #expect((map["y"] as? [String: Any])?["z"] as? String == "deep")
    // Absent, or of another type.
    #expect(store.longLong(forKey: "none") == 0)
    #expect(store.double(forKey: "s") == 0)
    #expect(!store.bool(forKey: "none"))
    #expect(store.string(forKey: "i") == nil)
    #expect(store.data(forKey: "s") == nil)
    store.set(nil as String?, forKey: "s")
    #expect(store.object(forKey: "s") == nil)
  }

  @Test("a value beyond the quota is not stored; a notification says so (A1)")
  func quota() async throws {
    let store = try LocalCloud().keyValueStore(app)
    let observer = Observer(store)
    store.set("old", forKey: "k")
    store.set(Data(count: 2_000_000), forKey: "k")
    #expect(store.string(forKey: "k") == "old")
    try await wait { observer.all.contains { $0.reason == 2 } }
    #expect(observer.all.last?.keys == ["k"])
  }

  @Test("without an account keys stay on the device, and another account has its own (A4)")
  func accounts() async throws {
    let cloud = try LocalCloud()
    let store = cloud.keyValueStore(app, account: "ann", device: "phone")
    store.set("ann's", forKey: "k")
    try cloud.signOut("ann", device: "phone")
    #expect(!store.synchronize())
    try cloud.signIn("bob", device: "phone")
    try await wait { store.object(forKey: "k") == nil }
    #expect(store.synchronize())
    try cloud.signIn("ann", device: "phone")
    try await wait { store.string(forKey: "k") == "ann's" }
  }

  @Test("a device that is offline gets what it missed later; the default store is the task's")
  func offline() async throws {
    let cloud = try LocalCloud()
    let phoneStore = cloud.keyValueStore(app, account: "ann", device: "phone")
    try cloud.setOnline(false, device: "phone")
    let pad = await cloud.run(as: "ann", device: "pad", container: app) {
      let store = NSUbiquitousKeyValueStore.default
      store.set("news", forKey: "k")
      return store
    }
    #expect(pad.string(forKey: "k") == "news")
    try await Task.sleep(for: .milliseconds(30))
    #expect(phoneStore.object(forKey: "k") == nil)
    try cloud.setOnline(true, device: "phone")
    phoneStore.synchronize()
    try await wait { phoneStore.string(forKey: "k") == "news" }
  }

  @Test("a key that is too long stops the process, as an exception of Apple's does")
  func longKey() async {
    await #expect(processExitsWith: .failure) {
      let store = try LocalCloud().keyValueStore("iCloud.com.example.game")
      store.set("x", forKey: String(repeating: "k", count: 65))
    }
  }
}
