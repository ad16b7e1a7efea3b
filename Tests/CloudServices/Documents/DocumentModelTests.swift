internal import Basics
internal import CloudModel
internal import CloudServices
internal import TestSupport
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Documents on three devices against what must hold whatever they do (D58).
@Suite struct DocumentModelTests {
  private static let steps = getenv("CKDB_STEPS").flatMap { Int(String(cString: $0)) } ?? 1_000

  @Test(
    "D58: devices agree after two rounds, and no contents are lost that nobody had seen",
    arguments: 0..<8 as Range<UInt64>)
  func agreement(_ seed: UInt64) throws {
    let world = try DocumentWorld(seed)
    for _ in 0..<Self.steps { try world.step() }
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
}
