internal import Basics
internal import Commands

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

@main
enum Program {
  static func main() {
    Interrupt.install()
    let session = Session(.process())
    exit(session.run(Platform.commandLineWords))
  }
}
