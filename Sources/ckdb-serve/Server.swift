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

    private static var output: FileHandle {
      FileHandle(descriptor: 1, path: "standard output", closesAtEnd: false)
    }

    func run() async {
      Platform.limitFreeMemory()
      signal(SIGPIPE, SIG_IGN)
      if words == ["--version"] { return say("ckdb-serve \(WebServer.version)") }
      guard words.count == 3 else { end("'ckdb serve' starts ckdb-serve", 64) }
      guard words[0] == WebServer.version else {
        end(
          "this is ckdb-serve \(WebServer.version), and ckdb \(words[0]) started it: install the "
            + "same version of both", 69)
      }
      do {
        switch words[1] {
        case "serve": try await serve(words[2])
        case "read-key": say(try KeyFile.publicKey(at: words[2]))
        case "make-key": say(try KeyFile.make(at: words[2]))
        default: end("unknown task '\(words[1])'", 64)
        }
      } catch let failure as StartFailure { end(failure.text, failure.exitCode) } catch {
        end("\(error)", 70)
      }
    }

    private func serve(_ text: String) async throws {
      guard let settings = ServerSettings(text) else { end("the settings are not valid", 64) }
      let server = try WebServer(
        settings, adminToken: getenv("CKDB_ADMIN_TOKEN").map { String(cString: $0) })
      defer { server.remove() }
      try await server.run { line in try Self.output.writeAll(Array(line.utf8)) }
    }

    private func say(_ line: String) { try? Self.output.writeAll(Array("\(line)\n".utf8)) }

    private func end(_ text: String, _ code: Int32) -> Never {
      try? FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false)
        .writeAll(Array("ckdb: error: \(text)\n".utf8))
      exit(code)
    }
  }
#endif
