internal import Basics
internal import CloudModel
internal import StoreFiles
internal import TestSupport
internal import Testing
internal import UbiquityStore

/// The keys of devices and of iCloud as tables; who wins a conflict is decided above them.
@Suite struct KeyTableTests {
  @Test("a transaction without a change is not committed; one that was rolled back leaves nothing")
  func transactions() throws {
    let fixture = try UbiquityFixture()
    let store = fixture.store
    try fixture.write {}
    #expect(try store.lastSequence() == 0)
    let copy = try fixture.write { try store.makeCopy(of: fixture.account, on: .cli) }
    let number = try store.lastSequence()
    #expect(number > 0)
    #expect(throws: CancellationError.self) {
      try fixture.write {
        try store.put(entry("a", 1), isPending: true, in: copy)
        throw CancellationError()
      }
    }
    #expect(try store.entries(of: copy).isEmpty)
    #expect(try store.lastSequence() == number)
  }

  @Test("sums of rows stay right after a rollback, which also removes their triggers (issue 53)")
  func sumsAfterRollback() throws {
    let fixture = try UbiquityFixture()
    let store = fixture.store
    for round in 0..<3 {
      #expect(throws: CancellationError.self) {
        try fixture.write {
          let copy = try store.makeCopy(of: fixture.account, on: Device(stored: "lost"))
          try store.put(entry("lost", 1), isPending: true, in: copy)
          throw CancellationError()
        }
      }
      let device = Device(stored: "device\(round)")
      let copy = try fixture.write { try store.makeCopy(of: fixture.account, on: device) }
      for key in ["a", "b"] {
        try fixture.write { try store.put(entry(key, 1), isPending: true, in: copy) }
      }
      #expect(try store.entries(of: copy).count == 2)
    }
    let file = UbiquityStore.file(in: fixture.directory.path + "/ubiquity")
    let findings = try DatabaseKind.ubiquity.examine(
      file, isDeep: true, readsAssets: false, .none
    ).findings
    #expect(findings.allSatisfy { $0.code == .library }, "\(findings)")
  }

  @Test("keys are compared by bytes: a composed and a decomposed é are two keys, in byte order")
  func bytes() throws {
    let fixture = try UbiquityFixture()
    let store = fixture.store
    try fixture.write {
      let copy = try store.makeCopy(of: fixture.account, on: .cli)
      for (index, key) in ["\u{E9}", "e\u{301}", "z", "E"].enumerated() {
        try store.put(entry(key, Int64(index)), isPending: true, in: copy)
      }
      let keys = try store.entries(of: copy).map { Array($0.entry.key.utf8) }
      #expect(keys == ["E", "e\u{301}", "z", "\u{E9}"].map { Array($0.utf8) })
      #expect(try store.entry("\u{E9}", in: copy)?.entry.value == .integer(0))
      #expect(try store.usage(of: copy).keys == 4)
    }
  }

  @Test(
    "after one copy sends and the other takes, both have what a dictionary has", arguments: 0..<8)
  func exchange(_ seed: UInt64) throws {
    let fixture = try UbiquityFixture()
    let (store, account) = (fixture.store, fixture.account)
    var random = SplitMix64(state: seed)
    var copies = try fixture.write {
      try ["a", "b"].map { try store.makeCopy(of: account, on: Device(stored: $0)) }
    }
    var model: [String: Int64] = [:]
    for round in 0..<40 {
      let (writer, reader) = (round % 2, 1 - round % 2)
      try fixture.write {
        for _ in 0..<random.next() % 6 {
          let key = "key\(random.next() % 12)"
          let value = random.next() % 4 == 0 ? nil : Int64(random.next() % 1000)
          model[key] = value
          try store.put(
            entry(key, value, at: Int64(round), by: copies[writer].device), isPending: true,
            in: copies[writer])
        }
        try store.send(
          store.pendingKeys(of: account, in: copies[writer]), of: account, from: copies[writer])
        copies[writer].seen = try store.lastSequence()
        copies[writer].isSynchronized = true
        try store.update(copies[writer])
        try store.take(
          store.news(of: account, for: copies[reader]), of: account, in: copies[reader])
        copies[reader].seen = try store.lastSequence()
        copies[reader].isSynchronized = true
        try store.update(copies[reader])
      }
      for copy in copies {
        let entries = try store.entries(of: copy)
        #expect(entries.allSatisfy { !$0.isPending })
        let found = entries.map { ($0.entry.key, $0.entry.value) }
        let expected = model.sorted { $0.key < $1.key }.map {
          ($0.key, PropertyListValue?.some(.integer($0.value)))
        }
        #expect(found.elementsEqual(expected) { $0 == $1 }, "round \(round) of \(copy.device.name)")
      }
      #expect(try store.serverUsage(of: account).keys == model.count)
      #expect(try !store.hasNews(of: account, for: copies[reader]))
    }
  }

  private func entry(
    _ key: String, _ value: Int64?, at time: Int64 = 0, by device: Device = .cli
  ) -> KeyValueEntry {
    KeyValueEntry(
      key, value.map { .integer($0) }, at: Timestamp(milliseconds: time), device: device)
  }
}
