internal import Basics
internal import CloudModel
internal import TestSupport
internal import Testing

@testable internal import CloudServices

/// Who may use a store over HTTP (W2, W2.1, W2.2).
@Suite struct AccessTests {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  private func token(_ fixture: CloudFixture, named name: String? = nil) throws -> APIToken {
    try fixture.store.createAPIToken(
      named: name, for: fixture.container, .development, origins: [], callback: nil,
      fixture.request)
  }

  @Test("W2.1: an API token is 64 hexadecimal digits, of one environment, for other processes too")
  func apiTokens() throws {
    let fixture = try CloudFixture()
    let token = try token(fixture, named: "page")
    #expect(token.text.utf8.count == 64 && token.text.allSatisfy(\.isHexDigit))
    let other = CloudStore(path: fixture.store.path)
    #expect(try other.apiToken(token.text) == token)
    #expect(try other.apiToken(String(token.text.dropLast())) == nil)
    try other.deleteAPIToken("page")
    #expect(try other.apiTokens().isEmpty)
    expectRefusal(.unknownItem) { try other.deleteAPIToken("page") }
  }

  @Test("a token for a container that does not exist is refused, and goes with its container")
  func containers() throws {
    let fixture = try CloudFixture()
    _ = try token(fixture)
    expectRefusal(.badContainer) {
      _ = try fixture.store.createAPIToken(
        named: nil, for: ContainerID("iCloud.org.example.none"), .development, origins: [],
        callback: nil, fixture.request)
    }
    try fixture.store.delete(fixture.container, for: fixture.request)
    #expect(try fixture.store.apiTokens().isEmpty)
  }

  @Test("W2.1: a web auth token signs its account in for half an hour, or two weeks")
  func expiry() throws {
    let fixture = try CloudFixture()
    let (store, token) = (fixture.store, try token(fixture))
    let ann = try Account("ann")
    for (isLasting, life) in [(false, 1_800_000), (true, 1_209_600_000)] as [(Bool, Int64)] {
      let text = try store.webAuthToken(for: ann, by: token, isLasting: isLasting, at: Self.now)
      func signedIn(after milliseconds: Int64) throws -> WebAuthToken? {
        try store.signedIn(
          by: text, of: token,
          at: Timestamp(milliseconds: Self.now.milliseconds + milliseconds))
      }
      #expect(try signedIn(after: life - 1)?.account == ann)
      #expect(try signedIn(after: life - 1)?.isLasting == isLasting)
      #expect(try signedIn(after: life) == nil)
    }
  }

  @Test("W10.1: each token is another one, and the former ones stay valid")
  func rotation() throws {
    let fixture = try CloudFixture()
    let token = try token(fixture)
    let texts = try (0..<50).map { _ in
      try fixture.store.webAuthToken(
        for: Account("ann"), by: token, isLasting: false, at: Self.now)
    }
    #expect(Set(texts).count == texts.count)
    for text in texts {
      #expect(try fixture.store.signedIn(by: text, of: token, at: Self.now) != nil)
    }
  }

  @Test("W10.1: what replaces a token is valid, for its API token alone, and the same for a second")
  func renewal() throws {
    let fixture = try CloudFixture()
    let (store, token, other) = (fixture.store, try token(fixture), try token(fixture))
    let first = try store.webAuthToken(
      for: Account("ann"), by: token, isLasting: true, at: Self.now)
    func renewed(after milliseconds: Int64) throws -> String {
      let now = Timestamp(milliseconds: Self.now.milliseconds + milliseconds)
      let signedIn = try #require(try store.signedIn(by: first, of: token, at: now))
      return try store.renewal(of: first, signedIn, by: token, at: now)
    }
    let second = try renewed(after: 0)
    #expect(second != first)
    #expect(try renewed(after: 999) == second)
    let third = try renewed(after: 1000)
    #expect(third != second)
    for text in [first, second, third, first] {
      let signedIn = try #require(try store.signedIn(by: text, of: token, at: Self.now))
      #expect(signedIn.account == (try Account("ann")) && signedIn.isLasting)
      #expect(try store.signedIn(by: text, of: other, at: Self.now) == nil)
      // The Kelvin sign is the same character as K.
      #expect(
        try store.signedIn(
          by: text.replacing("K", with: "\u{212A}") + (text.contains("K") ? "" : "="), of: token,
          at: Self.now) == nil)
    }
    #expect(try renewed(after: 1_209_599_999) != third)
  }

  @Test("a web auth token that is changed, shortened, another token's or another store's is none")
  func forgeries() throws {
    let (fixture, stranger) = (try CloudFixture(), try CloudFixture())
    let (own, other) = (try token(fixture), try token(fixture))
    let text = try fixture.store.webAuthToken(
      for: Account("ann"), by: own, isLasting: false, at: Self.now)
    let bytes = try #require(Base64.decode(text))
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      #expect(
        try fixture.store.signedIn(by: Base64.encode(changed), of: own, at: Self.now) == nil)
      let short = Base64.encode(Array(bytes.prefix(place)))
      #expect(try fixture.store.signedIn(by: short, of: own, at: Self.now) == nil)
    }
    #expect(try fixture.store.signedIn(by: text, of: other, at: Self.now) == nil)
    _ = try token(stranger)
    #expect(try stranger.store.signedIn(by: text, of: own, at: Self.now) == nil)
  }

  @Test("W2.2: a key has an ID of its own in each environment, and acts as a user of its own")
  func keys() throws {
    let fixture = try CloudFixture()
    let bytes = SystemRandom.bytes(65)
    let keys = try Environment.allCases.map { environment in
      try fixture.store.addServerKey(
        bytes, named: "ci", to: fixture.container, environment, fixture.request)
    }
    #expect(Set(keys.map(\.id)).count == 2 && Set(keys.map(\.account)).count == 2)
    #expect(keys.allSatisfy { $0.id.utf8.count == 64 })
    expectRefusal(.invalidArguments) {
      _ = try fixture.store.addServerKey(
        bytes, named: nil, to: fixture.container, .development, fixture.request)
    }
    expectRefusal(.unknownItem) { try fixture.store.deleteServerKey("ci") }
    try fixture.store.deleteServerKey(keys[0].id)
    #expect(try fixture.store.serverKeys() == [keys[1]])
  }

  @Test("a restore leaves tokens as they are, and no snapshot has them")
  func snapshots() throws {
    let fixture = try CloudFixture()
    let name = try SnapshotName("before")
    try fixture.store.saveSnapshot(name, replaces: false, for: fixture.request)
    let token = try token(fixture)
    try fixture.store.restore(name, for: fixture.request)
    #expect(try fixture.store.apiTokens() == [token])
    #expect(try fixture.store.snapshot(name).apiTokens().isEmpty)
  }
}
