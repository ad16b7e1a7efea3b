internal import Basics
internal import FuzzTargets
internal import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

nonisolated(unsafe) private var target = FuzzTarget.predicate

/// `Fuzz OPTIONS…` runs libFuzzer on the target that the variable FUZZ_TARGET names.
/// `Fuzz expand TARGET FOLDER` writes the saved inputs as files; `Fuzz collect TARGET FOLDER`
/// saves the shortest inputs of a folder.
@main
enum Fuzz {
  private static let mostSaved = 200

  static func main() throws {
    let words = CommandLine.arguments
    if words.count == 4, let target = FuzzTarget(rawValue: words[2]) {
      switch words[1] {
      case "expand": return try expand(target, words[3])
      case "collect": return try collect(target, words[3])
      default: break
      }
    }
    guard let found = getenv("FUZZ_TARGET").flatMap({ FuzzTarget(rawValue: String(cString: $0)) })
    else {
      print("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
      exit(64)
    }
    target = found
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(
      runDriver(&count, &arguments) { bytes, length in
        target.run(UnsafeRawBufferPointer(start: bytes, count: length))
        return 0
      })
  }

  private static func expand(_ target: FuzzTarget, _ folder: String) throws {
    for (index, input) in try FuzzCorpus(target).inputs().enumerated() {
      try FileSystem.replace("\(folder)/saved-\(index)", with: input)
    }
  }

  private static func collect(_ target: FuzzTarget, _ folder: String) throws {
    let inputs = try FileSystem.list(folder).map {
      try FileSystem.contents(of: "\(folder)/\($0)")
    }
    let shortest = inputs.sorted {
      ($0.count, $1.lexicographicallyPrecedes($0) ? 1 : 0)
        < ($1.count, $0.lexicographicallyPrecedes($1) ? 1 : 0)
    }
    try FuzzCorpus(target).save(Array(shortest.prefix(mostSaved)))
  }
}
