internal import Basics
internal import CloudModel
internal import StoreFiles
internal import Synchronization
internal import TestSupport
internal import Testing

@testable internal import RecordStore
@testable internal import StoreHome

/// Restores and repairs replace files that another process has open, or is opening.
@Suite struct SwapTests {
  /// An environment whose files are replaced by copies, as a restore does.
  private struct Swapped: Sendable {
    let file: EnvironmentFile

    init(in directory: TemporaryDirectory) throws {
      file = EnvironmentFile(folder: directory.path + "/development")
      try file.create()
      try save("first")
    }

    /// Replaces the files by a copy while there is no writer, and runs `during` meanwhile.
    func replace(during work: () throws -> Void = {}) throws {
      let lock = try WriterLock(path: file.lockPath)
      try lock.lock(Patience(milliseconds: 60_000))
      defer { lock.unlock() }
      let draft = file.folder + ".new"
      try FileSystem.remove(draft)
      try FileSystem.makeDirectories(draft + "/assets/tmp")
      for name in try FileSystem.list(file.folder) where !name.hasSuffix("-shm") {
        let path = "\(file.folder)/\(name)"
        if FileSystem.isRegular(path) { try FileSystem.copy(path, to: "\(draft)/\(name)") }
      }
      try work()
      try FileSystem.exchange(draft, file.folder)
    }

    func open() throws -> EnvironmentStore {
      try EnvironmentStore(folder: file.folder, patience: Patience(milliseconds: 60_000))
    }

    func count() throws -> Int64 {
      let store = try open()
      try store.beginRead()
      defer { store.endRead() }
      return try store.counts().records
    }

    /// Saves a record with a store; by default with a new one.
    func save(_ name: String, by store: EnvironmentStore? = nil) throws {
      let store = try store ?? open()
      try store.beginWrite()
      _ = try store.insert(record(name, "Kind"), store.type("Kind"))
      try store.commit()
    }

    func checkSoundness() throws {
      let findings = try file.examine(isDeep: true, patience: .none).findings
      #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
    }
  }

  @Test("a writer whose files were replaced writes nothing, and gets 75: try again")
  func openWriter() throws {
    let directory = try TemporaryDirectory()
    let swapped = try Swapped(in: directory)
    let store = try swapped.open()
    try swapped.replace()
    let error = #expect(throws: StoreError.self) { try swapped.save("late", by: store) }
    #expect(error?.message == StoreError.replaced.message)
    #expect(error.map { if case .busy = $0.kind { true } else { false } } == true)
    store.rest()
    #expect(try swapped.count() == 1)
    try swapped.save("again")
    #expect(try swapped.count() == 2)
    try swapped.checkSoundness()
  }

  @Test("a process that waits for a replaced lock file gets the lock of the new one")
  func waitingForLock() throws {
    let directory = try TemporaryDirectory()
    let swapped = try Swapped(in: directory)
    let waiting = try WriterLock(path: swapped.file.lockPath)
    try swapped.replace { #expect(!waiting.tryLock()) }
    #expect(!waiting.tryLock())
    try waiting.lock(.none)
    #expect(try !WriterLock(path: swapped.file.lockPath).tryLock())
  }

  @Test("files opened during a replacement are all of one state, and no save is lost")
  func opening() throws {
    let directory = try TemporaryDirectory()
    let swapped = try Swapped(in: directory)
    let isOver = Atomic<Bool>(false)
    let worker = try Worker {
      while !isOver.load(ordering: .relaxed) {
        try? swapped.replace()
        Platform.sleep(milliseconds: 1)
      }
    }
    var saved: Int64 = 1
    for round in 0..<60 {
      #expect(try swapped.count() == saved)
      do {
        try swapped.save("r\(round)")
        saved += 1
      } catch let error as StoreError {
        #expect(error.message == StoreError.replaced.message)
      }
    }
    isOver.store(true, ordering: .relaxed)
    worker.join()
    #expect(try swapped.count() == saved)
    #expect(saved > 10)
    try swapped.checkSoundness()
  }
}
