internal import Basics

#if Server
  internal import WebServices

  @main
  struct Program {
    static func main() async {
      await Server(words: Array(CommandLine.arguments.dropFirst())).run()
    }
  }
#else
  /// Without the trait Server the program only says so.
  @main
  struct Program {
    static func main() {
      ProgramMessage.fail("this ckdb-serve was built without the server", 69)
    }
  }
#endif
