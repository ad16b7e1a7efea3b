internal import Basics
internal import CloudModel
internal import CloudServices
internal import TestSupport
internal import Testing

/// Random changes of documents on three devices, and the invariants that they must keep (D58).
@Suite struct DocumentModelTests {
  @Test(
    "D58: devices agree after two rounds, and contents that no save had seen are not lost",
    arguments: 0..<10 as Range<UInt64>)
  func agreement(_ seed: UInt64) throws {
    let world = try DocumentWorld(seed)
    for _ in 0..<ModelSteps.count(1_000) { try world.step() }
    try world.settle()
    let states = try DocumentWorld.devices.map { try world.state($0) }
    for (device, state) in zip(DocumentWorld.devices, states) {
      #expect(state == states[0], "\(device.name)")
    }
    let there = Set(states[0].values.flatMap(\.self))
    let lost = world.saved.subtracting(there).subtracting(world.replaced)
    #expect(lost.isEmpty, "\(lost.sorted())")
    let findings = try world.fixture.store.examine(isDeep: true, for: world.fixture.request)
      .flatMap(\.findings)
    #expect(findings.allSatisfy { $0.code == .library }, "\(findings)")
  }

  @Test("D33: a decision that waits for a sync is sent, even if another decision follows")
  func twoDecisions() throws {
    let fixture = try CloudFixture()
    func documents(_ name: String) throws -> DocumentStore {
      var request = fixture.request
      (request.account, request.device) = (Account(stored: "ann"), Device(stored: name))
      return try fixture.store.documentStore(fixture.container, for: request)
    }
    let path = try DocumentPath("Documents/a.txt")
    func put(_ text: String, _ name: String) throws {
      try documents(name).put(Array(text.utf8), at: path)
    }
    func synchronize(_ names: String...) throws {
      for name in names { _ = try documents(name).synchronize() }
    }
    try put("one", "phone")
    try synchronize("phone", "pad")
    try documents("pad").download(path)
    try put("from the phone", "phone")
    try put("from the pad", "pad")
    try synchronize("phone", "pad", "phone")
    #expect(try documents("phone").resolve(path, .current) == 1)
    // The open document has not seen the put, so the device must decide between the two.
    try documents("phone").openDocument(path)
    try put("put", "phone")
    try documents("phone").change(path, .set(Array("unseen".utf8)))
    try documents("phone").closeDocument(path)
    #expect(try documents("phone").resolve(path, .current) == 1)
    try synchronize("phone", "pad")
    for name in ["phone", "pad"] { #expect(try documents(name).conflicts().isEmpty, "\(name)") }
  }
}
