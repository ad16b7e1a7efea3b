internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import Testing

/// Injected faults as the store keeps them (M7.2).
@Suite struct FaultRuleTests {
  @Test("a fault reads back with its error, delay or effect")
  func roundTrip() {
    var late = FaultRule(nil, of: .save)
    late.latency = 1.5
    var failing = FaultRule(.zoneBusy, of: .fetch)
    (failing.retryAfter, failing.times, failing.seed) = (3, 2, .max)
    for rule in [late, failing, FaultRule(.lost)] {
      #expect(FaultRule(rule.json) == rule)
    }
  }

  @Test("a fault of a later version, whose error or effect is unknown here, is none")
  func unknown() throws {
    #expect(FaultRule(FaultRule(nil, of: .save).json) == nil)
    var late = FaultRule(nil, of: .save)
    late.latency = 1.5
    guard case .object(let members) = late.json else { throw CloudError(.internalError, "") }
    #expect(FaultRule(.object(members)) == late)
    for name in ["code", "effect"] {
      let later = JSONMember(name, .string("laterThanThis"))
      #expect(FaultRule(.object(members + [later])) == nil)
    }
  }
}
