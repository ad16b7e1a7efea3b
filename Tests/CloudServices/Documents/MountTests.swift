internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles
internal import StoreHome
internal import TestSupport
internal import Testing

@testable internal import CloudServices

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Mounts while other programs use them.
@Suite("Mounts")
struct MountTests {
  private let fixture: CloudFixture
  private let directory: TemporaryDirectory

  init() throws {
    fixture = try CloudFixture()
    directory = try TemporaryDirectory()
  }

  private func documents(_ name: String) throws -> DocumentStore {
    var request = fixture.request
    (request.account, request.device) = (Account(stored: "ann"), Device(stored: name))
    return try fixture.store.documentStore(fixture.container, for: request)
  }

  private func path(_ name: String) throws -> DocumentPath {
    try DocumentPath("Documents/\(name)")
  }

  private func put(_ text: String, _ name: String, on device: String) throws {
    try documents(device).put(Array(text.utf8), at: path(name))
  }

  @Test("D52: a file that changes after the scan stays in place, and is in conflict later")
  func changesAfterTheScan() throws {
    for name in ["a", "b", "c"] { try put(name, name, on: "phone") }
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    try put("newer", "a", on: "phone")
    for name in ["b", "c"] { try FileSystem.remove("\(folder)/Documents/\(name)") }
    let file = "\(folder)/Documents/a"
    // The prompt follows the scan, so this write comes from another program after the scan.
    var written: stat?
    let result = try documents("phone").mount(folder) { _, _ in
      try FileSystem.replace(file, with: Array("another program".utf8))
      written = FileSystem.status(of: file)
    }
    #expect(result.scan.removed == 2)
    #expect(try FileSystem.contents(of: file) == Array("another program".utf8))
    // The file was not even renamed and renamed back.
    let before = try #require(written)
    let after = try #require(FileSystem.status(of: file))
    #expect(Platform.changeNanoseconds(of: after) == Platform.changeNanoseconds(of: before))
    #expect(try documents("phone").scan(folder) { _, _ in }.changed == 1)
    #expect(try documents("phone").conflicts().count == 1)
  }

  @Test("D52: a file that changes after the scan stays in place, even if its document is gone")
  func changesBeforeARemoval() throws {
    for name in ["a", "b", "c"] { try put(name, name, on: "phone") }
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    try documents("phone").remove(path("a"))
    for name in ["b", "c"] { try FileSystem.remove("\(folder)/Documents/\(name)") }
    let file = "\(folder)/Documents/a"
    var written: stat?
    _ = try documents("phone").mount(folder) { _, _ in
      try FileSystem.replace(file, with: Array("another program".utf8))
      written = FileSystem.status(of: file)
    }
    let before = try #require(written)
    let after = try #require(FileSystem.status(of: file))
    #expect(Platform.changeNanoseconds(of: after) == Platform.changeNanoseconds(of: before))
  }

  /// What a program can do with a file as soon as it sees that it changed.
  enum Reaction: CaseIterable {
    case save, saveByRename, makeExecutable, remove

    func run(_ file: String) throws {
      switch self {
      case .save: try FileHandle(open: file, O_WRONLY | O_TRUNC).writeAll(Array("formatted".utf8))
      case .saveByRename: try FileSystem.replace(file, with: Array("formatted".utf8))
      case .makeExecutable: chmod(file, 0o755)
      case .remove: try FileSystem.remove(file)
      }
    }
  }

  @Test(
    "a program that reacts to the mount's write makes a change of its own (issue 53)",
    arguments: Reaction.allCases)
  func reactions(_ reaction: Reaction) throws {
    let folder = "\(directory.path)/mount"
    let file = "\(folder)/Documents/a"
    for round in 1...5 {
      // The former file takes milliseconds to remove: the program is done before the mount is.
      let large = [UInt8](repeating: UInt8(round), count: 32 << 20)
      try documents("phone").put(large, at: path("a"))
      _ = try documents("phone").mount(folder) { _, _ in }
      try put("\(round)", "a", on: "phone")
      let before = FileSystem.status(of: file)?.st_ino
      let program = try Worker {
        while FileSystem.status(of: file)?.st_ino == before { sched_yield() }
        try? reaction.run(file)
      }
      _ = try documents("phone").mount(folder) { _, _ in }
      program.join()
      let result = try documents("phone").scan(folder) { _, _ in }
      let isRemoval = reaction == .remove
      #expect((result.changed, result.removed) == (isRemoval ? (0, 1) : (1, 0)), "round \(round)")
      if reaction == .save || reaction == .saveByRename {
        let reading = try documents("phone").openHere(path("a"))
        #expect(reading.files.map(\.size) == [9])
      }
    }
  }

  @Test("a scan sees every file that the mount wrote, whatever its name (issue 53)")
  func temporaryNames() throws {
    let names = ["report.tmp", "a~", "draft.tmp/b", "4913/.c.swp"]
    for name in names { try put("1", name, on: "phone") }
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    #expect(try documents("phone").scan(folder) { _, _ in }.removed == 0)
    // What an editor adds beside them is passed over.
    for name in ["d.tmp", "draft.tmp/#b#", "e.tmp/f"] {
      try FileSystem.makeDirectories(FileSystem.parent(of: "\(folder)/Documents/\(name)"))
      try FileSystem.replace("\(folder)/Documents/\(name)", with: [1])
    }
    try FileSystem.replace("\(folder)/Documents/report.tmp", with: Array("edited".utf8))
    try FileSystem.remove("\(folder)/Documents/a~")
    let result = try documents("phone").scan(folder) { _, _ in }
    #expect((result.added, result.changed, result.removed) == (0, 1, 1))
    #expect(try documents("phone").items().count == names.count - 1)
    #expect(try documents("phone").deletedItems().map(\.path.text) == ["Documents/a~"])
    #expect(try documents("phone").restore(path("a~")).text == "Documents/a~")
    #expect(try documents("phone").openHere(path("a~")).files.count == 1)
  }

  @Test(
    "a file that iCloud cannot tell from another is refused, and changes neither (issue 53)",
    arguments: [
      ("Documents/caf\u{e9}", "Documents/cafe\u{301}"), ("Documents/q", "documents/q"),
      ("Documents/A", "Documents/a"),
    ])
  func twins(_ name: String, _ twin: String) throws {
    try put("one", FileSystem.name(of: name), on: "phone")
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    try FileSystem.makeDirectories(FileSystem.parent(of: "\(folder)/\(twin)"))
    for text in ["two", "three"] {
      try FileSystem.replace("\(folder)/\(twin)", with: Array(text.utf8))
      let result = try documents("phone").scan(folder) { _, _ in }
      #expect(result.refused == ["\(twin): iCloud takes it for \(name): rename one of them"])
      #expect((result.added, result.changed, result.removed) == (0, 0, 0))
      #expect(try documents("phone").items().map(\.size) == [3])
    }
    // Of two new ones the first is added.
    try FileSystem.replace("\(folder)/Documents/b", with: [1])
    try FileSystem.replace("\(folder)/Documents/B", with: [1])
    let result = try documents("phone").scan(folder) { _, _ in }
    #expect(result.added == 1 && result.refused.count == 2)
    // One that is renamed is not refused.
    try FileSystem.remove("\(folder)/\(name)")
    #expect(try documents("phone").scan(folder) { _, _ in }.refused.count == 1)
    #expect(try documents("phone").openHere(DocumentPath(twin)).files.count == 1)
  }

  @Test("a name that is not UTF-8 is reported, by a scan of the folder it is in (issue 53)")
  func notUTF8() throws {
    try put("one", "a", on: "phone")
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    let path = Array("\(folder)/Documents/b".utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    let result = try documents("phone").scan(folder) { _, _ in }
    #expect(result.refused == ["Documents/b\u{FFFD}: the name is not UTF-8"])
    #expect((result.added, result.removed) == (0, 0))
  }

  @Test("a document that an editor moves to a temporary name is not deleted (issue 53)")
  func backupByRename() throws {
    for name in ["a", "b", "c"] { try put(name, name, on: "phone") }
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    let file = "\(folder)/Documents/a"
    try FileSystem.rename(file, to: file + "~")
    #expect(try documents("phone").scan(folder) { _, _ in }.removed == 0)
    try FileSystem.replace(file, with: Array("saved".utf8))
    #expect(try documents("phone").scan(folder) { _, _ in }.changed == 1)
    // The backup is gone with the editor, and then the document.
    try FileSystem.rename(file, to: file + "~")
    try FileSystem.remove(file + "~")
    #expect(try documents("phone").scan(folder) { _, _ in }.removed == 1)
  }

  @Test("a package is taken whole, by put and by scan (issue 53)")
  func temporaryNamesInPackages() throws {
    let names = [".DS_Store", "4913", "a.tmp", "b~", "c.tmp/d", "~$e"]
    func fill(_ folder: String) throws {
      for name in names {
        try FileSystem.makeDirectories(FileSystem.parent(of: "\(folder)/\(name)"))
        try FileSystem.replace("\(folder)/\(name)", with: Array(name.utf8))
      }
    }
    let source = "\(directory.path)/one.rtfd"
    try fill(source)
    let saved = try documents("phone").put(source, at: path("one.rtfd"))
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    try fill("\(folder)/Documents/two.rtfd")
    #expect(try documents("phone").scan(folder) { _, _ in }.added == 1)
    for package in ["one.rtfd", "two.rtfd"] {
      #expect(try documents("phone").openHere(path(package)).files.map(\.path) == names)
    }
    // A move removes what was saved, and nothing else.
    try FileSystem.replace("\(source)/4913", with: [1])
    try FileSystem.replace("\(source)/new", with: [1])
    #expect(try saved.remove() == ["\(source)/4913", "\(source)/new"])
    #expect(try FileSystem.list(source) == ["4913", "new"])
  }

  @Test("file systems without modes, as FAT, change nothing about documents")
  func withoutModes() throws {
    try put("a", "a", on: "phone")
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    for file in ["\(folder)/Documents/a", "\(folder)/.ckdb-mount/mark"] { chmod(file, 0o755) }
    #expect(try documents("phone").scan(folder) { _, _ in }.changed == 0)
  }

  @Test("a command leaves the drafts of a running command, and removes those of a killed one")
  func draftsOfOthers() throws {
    try put("one", "a", on: "phone")
    let folder = "\(directory.path)/mount"
    _ = try documents("phone").mount(folder) { _, _ in }
    // No system gives a process this number.
    let killed = Int32.max
    let running = "\(folder)/\(MountFolder.drafts)/\(getppid())-1"
    let left = "\(folder)/\(MountFolder.drafts)/\(killed)-1"
    for draft in [running, left] { try FileSystem.replace(draft, with: [1]) }
    _ = try documents("phone").scan(folder) { _, _ in }
    #expect(FileSystem.exists(running))
    #expect(!FileSystem.exists(left))
  }

  @Test("a failed mount leaves no drafts, and can be tried again")
  func damagedContents() throws {
    let contents = [UInt8](repeating: 7, count: 5_000_000)
    for name in ["a", "b"] { try documents("phone").put(contents + name.utf8, at: path(name)) }
    let assets = AssetFiles(
      folder: fixture.store.directory.ubiquityFolder(fixture.container) + "/assets")
    try assets.forEach { (_, path) throws(StoreError) in
      try onDisk { () throws(SystemError) in
        try FileSystem.replace(path, with: [UInt8](repeating: 8, count: 5_000_001))
      }
    }
    let folder = "\(directory.path)/mount"
    for _ in 0..<2 {
      let error = #expect(throws: CloudError.self) {
        try documents("phone").mount(folder) { _, _ in }
      }
      #expect(error?.code == .assetNotAvailable, "\(String(describing: error))")
      #expect(try FileSystem.list("\(folder)/\(MountFolder.drafts)").isEmpty)
    }
  }

  @Test("D56: a folder is not moved if the paths of its documents would be too long")
  func longPaths() throws {
    let deep = String(repeating: String(repeating: "n", count: 250) + "/", count: 15)
    try put("one", "a/\(deep)x", on: "phone")
    let error = #expect(throws: CloudError.self) {
      try documents("phone").move(path("a"), to: path(String(repeating: "y", count: 255)))
    }
    #expect(error?.document == .nameTooLong, "\(String(describing: error))")
    #expect(try documents("phone").items().map(\.path.text) == ["Documents/a/\(deep)x"])
  }

  @Test("D30: a rename keeps the version that lost on the device")
  func renamedConflict() throws {
    try put("one", "a", on: "phone")
    try documents("phone").openDocument(path("a"))
    try put("two", "a", on: "phone")
    try documents("phone").change(path("a"), .set(Array("three".utf8)))
    try documents("phone").closeDocument(path("a"))
    #expect(try documents("phone").conflicts().count == 1)
    try documents("phone").move(path("a"), to: path("b"))
    _ = try documents("phone").synchronize()
    _ = try documents("pad").synchronize()
    #expect(try documents("pad").conflicts().map(\.path.text) == ["Documents/b"])
  }
}
