internal import Basics

#if Server
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
      if words == ["--version"] {
        return ProgramMessage.say("ckdb-remote \(ProgramVersion.number)")
      }
      guard let version = words.first else { ProgramMessage.fail("ckdb starts ckdb-remote", 64) }
      guard version == ProgramVersion.number else {
        ProgramMessage.fail(
          "this is ckdb-remote \(ProgramVersion.number), and ckdb \(version ?? "") started it: "
            + "install the same version of both", 69)
      }
      Platform.limitFreeMemory()
      Interrupt.install()
      do {
        let session = Session(.process(), try HTTPTransport())
        exit(session.run(Array(words.dropFirst())))
      } catch { ProgramMessage.fail("\(error)", 69) }
    }
  }
#else
  /// Without the trait Server the program only says so.
  @main
  struct Program {
    static func main() {
      ProgramMessage.fail("this ckdb-remote was built without the client for servers", 69)
    }
  }
#endif
