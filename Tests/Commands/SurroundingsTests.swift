import Basics
import TestSupport
import Testing

/// Failures of the surroundings are not damage (issue 53). `make faults ONLY=surroundings` tries
/// every command with every such error.
@Suite struct SurroundingsTests {
  @Test("a doctor without enough descriptors says so, and does not call the store damaged")
  func descriptors() throws {
    let program = try RealProgram()
    #expect(try program.shell("ckdb container create iCloud.org.example.app -q").code == 0)
    #expect(try program.shell("ckdb record save Note --name a n:=1 -q").code == 0)
    #expect(try program.shell("ckdb snapshot save s -q").code == 0)
    var codes: Set<Int32> = []
    for limit in 4...16 {
      for command in ["doctor", "doctor --deep", "query Note", "container list"] {
        let outcome = try program.shell("ulimit -n \(limit); ckdb \(command)")
        codes.insert(outcome.code)
        #expect(![70, 78].contains(outcome.code), "\(command), \(limit): \(outcome.errors)")
      }
    }
    #expect(codes.isSuperset(of: [0, 74]), "\(codes)")
    #expect(try program.shell("ckdb doctor --deep -q").code == 0)
  }
}
