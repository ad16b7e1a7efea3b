internal import Basics
internal import Testing

/// Threads.
@Suite struct WorkerTests {
  #if os(Linux)
    @Test("a thread that nobody joins leaves no stack behind (pthread_detach(3))")
    func released() throws {
      func mappings() throws -> Int {
        try FileSystem.contents(of: "/proc/self/maps").count { $0 == UInt8(ascii: "\n") }
      }
      let before = try mappings()
      for _ in 0..<500 {
        let ended = Locked(false)
        _ = try Worker { ended.withLock { $0 = true } }
        while !ended.withLock({ $0 }) { Platform.sleep(milliseconds: 1) }
      }
      // Each stack is a mapping with a guard. Other tests have threads, too.
      #expect(try mappings() - before < 500)
    }
  #endif

  @Test("the work of a worker that is joined is done")
  func joined() throws {
    let done = Locked(false)
    let worker = try Worker { done.withLock { $0 = true } }
    worker.join()
    #expect(done.withLock { $0 })
  }
}
