import Basics
import TestSupport
import Testing

/// The private stores of `exec` are not synchronized to the disk, until they are kept or copied
/// (issue 53).
@Suite(.serialized) struct VolatileStoreTests {
  private func program() throws -> RealProgram {
    let program = try RealProgram()
    try program.file("a.json", #"{"databases":{"private":{"zones":{"Z":{"records":[]}}}}}"#)
    return program
  }

  /// Runs words in a new store; returns whether it is marked before and after them.
  private func marks(_ words: String, _ options: String = "") throws -> String {
    let program = try program()
    let look = "test -e $CKDB_STORE.volatile && echo marked || echo lasting"
    let outcome = try program.shell("ckdb exec \(options) -- sh -c '\(look); \(words); \(look)'")
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome.output
  }

  @Test("a private store is marked for the processes that use it, with and without a fixture")
  func marked() throws {
    for options in ["", "--fixture a.json"] {
      #expect(try marks("ckdb zone create Y -q", options) == "marked\nmarked\n")
    }
  }

  @Test("a snapshot or a backup of a private store makes it lasting, and is lasting itself")
  func copied() throws {
    #expect(try marks("ckdb snapshot save s -q") == "marked\nlasting\n")
    #expect(try marks("ckdb store backup copy -q") == "marked\nlasting\n")
    let copy = "ckdb store backup copy -q; test -e copy.volatile && echo no"
    #expect(try marks(copy) == "marked\nlasting\n")
  }

  @Test("a private store that is kept is lasting")
  func kept() throws {
    let program = try program()
    for end in ["true", "false"] {
      let errors = try program.shell("ckdb exec --keep on-failure -- \(end)").errors
      guard let store = errors.split(separator: "kept the store: ").last else { continue }
      #expect(end == "true" || !FileSystem.exists("\(store.dropLast()).volatile"))
    }
    #expect(try program.shell("ls -d ckdb-*/store").output.hasSuffix("/store\n"))
    #expect(try program.shell("ls ckdb-*/*.volatile").code != 0)
  }
}
