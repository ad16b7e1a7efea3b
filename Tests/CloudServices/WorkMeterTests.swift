internal import Basics
internal import CloudModel
internal import CloudServices
internal import TestSupport
internal import Testing

/// The counters of long work (cli-conventions §3: progress).
@Suite struct WorkMeterTests {
  private func fixture() throws -> CloudFixture {
    let fixture = try CloudFixture()
    for number in 0..<20 {
      let staged = try fixture.environment().stage(fixture.file("f", "contents \(number)"))
      let assignment = FieldAssignment(
        try FieldName("f"), .asset(staged.asset), staged: [staged])
      let request = SaveRequest(
        name: try RecordName("n\(number)"), type: try RecordType("Note"),
        assignments: [assignment])
      _ = try fixture.mine.save(request, in: .defaultZone)
    }
    return fixture
  }

  @Test("a step counts up to its total: copy, check, verify")
  func countsReachTotals() throws {
    let fixture = try fixture()
    let works: [(name: String, isCounted: Bool, work: (WorkMeter) throws -> Void)] = [
      (
        "read pages", false,
        { _ = try fixture.store.examine(isDeep: false, for: fixture.request, $0) }
      ),
      // The last environment has no assets.
      (
        "read assets", false,
        { _ = try fixture.store.examine(isDeep: true, for: fixture.request, $0) }
      ),
      ("read assets", true, { _ = try fixture.environment().damagedAssets($0) }),
      (
        "copy", true,
        {
          try fixture.store.saveSnapshot(
            SnapshotName(stored: "s"), replaces: false, for: fixture.request, $0)
        }
      ),
    ]
    for (name, isCounted, work) in works {
      let meter = WorkMeter()
      try work(meter)
      let (step, done) = meter.reading
      #expect(step.name == name)
      if let total = step.total { #expect(done == total, "\(name)") }
      if isCounted { #expect(done > 0, "\(name)") }
    }
  }

  @Test("a new step counts from zero")
  func steps() {
    let meter = WorkMeter(total: 3)
    meter.advance(2)
    #expect(meter.reading.done == 2 && meter.reading.step.total == 3)
    meter.begin("next", total: 7, .bytes)
    #expect(meter.reading.done == 0 && meter.reading.step.name == "next")
  }
}
