internal import Basics
internal import TestSupport
internal import Testing

@testable internal import StoreFiles

/// The lock of writers (RS0.1): one holder, patience, a file that is replaced.
@Suite struct WriterLockTests {
  @Test("one writer holds it, or several readers share it; who has no patience is busy")
  func exclusion() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lock"
    let locks = try (0..<3).map { _ in try WriterLock(path: path) }
    try locks[0].lock(.none)
    #expect(!locks[1].tryLock())
    let error = try #require(throws: StoreError.self) { try locks[1].lock(.none) }
    #expect(error.kind == .busy(holder: Platform.processNumber))
    locks[0].unlock()
    try locks[1].lock(.none, isShared: true)
    try locks[2].lock(.none, isShared: true)
    #expect(!locks[0].tryLock())
    locks[1].unlock()
    locks[2].unlock()
    #expect(locks[0].tryLock())
  }

  @Test("a raised interruption ends the wait, however patient")
  func interruption() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lock"
    let holder = try WriterLock(path: path)
    try holder.lock(.none)
    let interruption = Interruption { false }
    let error = try #require(throws: StoreError.self) {
      try WriterLock(path: path).lock(Patience(milliseconds: 60_000, interruption: interruption))
    }
    #expect(error.kind == .interrupted)
  }

  @Test("the next holder learns the last change, also by a handle of its own")
  func sequence() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lock"
    let (first, second) = (try WriterLock(path: path), try WriterLock(path: path))
    try first.lock(.none)
    first.note(sequence: 41)
    first.note(sequence: 42)
    first.unlock()
    try second.lock(.none)
    #expect(second.notedSequence == 42)
    #expect(WriterLock.noted(at: path).sequence == 42)
    #expect(WriterLock.noted(at: directory.path + "/none").sequence == 0)
  }

  @Test("a lock whose file was replaced guards nothing: the new file's is taken instead")
  func replaced() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lock"
    let (old, other) = (try WriterLock(path: path), try WriterLock(path: path))
    try FileSystem.rename(path, to: path + ".old")
    #expect(try WriterLock(path: path).tryLock())
    #expect(!old.tryLock(), "the name leads to another file")
    try other.lock(.none)
    #expect(try !WriterLock(path: path).tryLock(), "other holds the new file's lock")
  }
}
