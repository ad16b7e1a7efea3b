#if Server
  internal import Basics
  internal import WebServices

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// What `ckdb` starts: `ckdb-serve VERSION TASK VALUE`.
  struct Server {
    let words: [String]

    func run() async {
      Platform.limitFreeMemory()
      signal(SIGPIPE, SIG_IGN)
      if words == ["--version"] { return ProgramMessage.say("ckdb-serve \(WebServer.version)") }
      guard words.count == 3 else { ProgramMessage.fail("'ckdb serve' starts ckdb-serve", 64) }
      guard words[0] == WebServer.version else {
        ProgramMessage.fail(
          "this is ckdb-serve \(WebServer.version), and ckdb \(words[0]) started it: install the "
            + "same version of both", 69)
      }
      do {
        switch words[1] {
        case "serve": try await serve(words[2])
        case "read-key": ProgramMessage.say(try KeyFile.publicKey(at: words[2]))
        case "make-key": ProgramMessage.say(try KeyFile.make(at: words[2]))
        default: ProgramMessage.fail("unknown task '\(words[1])'", 64)
        }
      } catch let failure as StartFailure {
        ProgramMessage.fail(failure.text, failure.exitCode)
      } catch {
        ProgramMessage.fail("\(error)", 70)
      }
    }

    private func serve(_ text: String) async throws {
      guard let settings = ServerSettings(text) else {
        ProgramMessage.fail("the settings are not valid", 64)
      }
      let server = try WebServer(
        settings, adminToken: getenv("CKDB_ADMIN_TOKEN").map { String(cString: $0) })
      defer { server.remove() }
      try await server.run { line in
        let output = FileHandle(descriptor: 1, path: "standard output", closesAtEnd: false)
        try output.writeAll(Array(line.utf8))
      }
    }
  }
#endif
