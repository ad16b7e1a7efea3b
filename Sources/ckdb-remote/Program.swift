#if Server
  internal import Basics
  internal import CloudServices
  internal import CloudSync
  internal import Commands

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// What `ckdb` starts for commands that send requests to other servers:
  /// `ckdb-remote VERSION WORD…`.
  @main
  enum Program {
    static func main() {
      let words = Platform.commandLineWords
      if words == ["--version"] { return say("ckdb-remote \(ProgramVersion.number)") }
      guard let version = words.first else { end("ckdb starts ckdb-remote", 64) }
      guard version == ProgramVersion.number else {
        end(
          "this is ckdb-remote \(ProgramVersion.number), and ckdb \(version ?? "") started it: "
            + "install the same version of both", 69)
      }
      Platform.limitFreeMemory()
      Interrupt.install()
      do {
        let session = Session(.process(), try HTTPTransport())
        exit(session.run(Array(words.dropFirst())))
      } catch { end("\(error)", 69) }
    }

    private static func say(_ line: String) {
      let output = FileHandle(descriptor: 1, path: "standard output", closesAtEnd: false)
      try? output.writeAll(Array("\(line)\n".utf8))
    }

    private static func end(_ text: String, _ code: Int32) -> Never {
      try? FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false)
        .writeAll(Array("ckdb: error: \(text)\n".utf8))
      exit(code)
    }
  }
#else
  internal import Basics

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// Without the trait Server the program only says so.
  @main
  struct Program {
    static func main() {
      try? FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false)
        .writeAll(
          Array("ckdb: error: this ckdb-remote was built without the client for servers\n".utf8))
      exit(69)
    }
  }
#endif
