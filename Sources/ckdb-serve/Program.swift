#if Server
  internal import Basics
  internal import WebServices

  @main
  struct Program {
    static func main() async {
      await Server(words: Array(CommandLine.arguments.dropFirst())).run()
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
        .writeAll(Array("ckdb: error: this ckdb-serve was built without the server\n".utf8))
      exit(69)
    }
  }
#endif
