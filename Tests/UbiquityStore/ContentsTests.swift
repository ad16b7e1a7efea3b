internal import Basics
internal import CloudModel
internal import StoreFiles
internal import Testing
internal import UbiquityStore

/// Contents of documents are there as long as a row names them, and go with the transaction that
/// drops the last one.
@Suite struct ContentsTests {
  @Test("a staged draft is kept if a row names it at the commit, and removed if none does")
  func staging() throws {
    let fixture = try UbiquityFixture()
    let (named, unnamed) = (try fixture.draft("named"), try fixture.draft("unnamed"))
    let version = try fixture.write {
      fixture.store.stage([named, unnamed])
      return try add(named.asset, to: fixture)
    }
    #expect(try fixture.store.assets.contains(named.asset))
    #expect(try !fixture.store.assets.contains(unnamed.asset))
    #expect(version.contents?.asset == named.asset)
  }

  @Test("contents of two versions stay until the second one drops them; a rollback drops nothing")
  func dropping() throws {
    let fixture = try UbiquityFixture()
    let (store, draft) = (fixture.store, try fixture.draft("shared"))
    let versions = try fixture.write {
      store.stage([draft])
      return try [add(draft.asset, to: fixture), add(draft.asset, to: fixture)]
    }
    try fixture.write { try store.remove(versions[0]) }
    #expect(try store.assets.contains(draft.asset))
    #expect(throws: CancellationError.self) {
      try fixture.write {
        try store.remove(versions[1])
        throw CancellationError()
      }
    }
    #expect(try store.assets.contains(draft.asset))
    #expect(try store.version(versions[1].number) != nil)
    try fixture.write { try store.remove(versions[1]) }
    #expect(try !store.assets.contains(draft.asset))
  }

  @Test("a resolved conflict keeps its row for devices, and its contents only if they are kept")
  func resolving() throws {
    let fixture = try UbiquityFixture()
    let store = fixture.store
    let drafts = try ["kept", "dropped"].map(fixture.draft)
    let versions = try fixture.write {
      store.stage(drafts)
      return try drafts.map { try add($0.asset, to: fixture) }
    }
    try fixture.write {
      try store.resolve(versions[0], keeps: true)
      try store.resolve(versions[1], keeps: false)
    }
    #expect(try drafts.map { try store.assets.contains($0.asset) } == [true, false])
    #expect(try versions.map { try store.version($0.number)?.isResolved } == [true, true])
  }

  /// A version of a document of its own.
  private func add(_ asset: Asset, to fixture: UbiquityFixture) throws -> CloudVersion {
    let time = Timestamp(milliseconds: 0)
    let document = try fixture.store.add(
      CloudDocument(
        of: fixture.account, at: try DocumentPath("Documents/\(UInt64.random(in: 0 ... .max))"),
        created: time, placed: time, by: .cli))
    return try fixture.store.add(
      CloudVersion(
        of: document.number, DocumentContents(asset, isExecutable: false), size: asset.size,
        at: time, by: .cli))
  }
}
