internal import Basics
internal import TestSupport
internal import Testing

/// `account export` (M8): a user's data in the store, as readable files.
@Suite struct AccountExportTests {
  private func run(_ fixture: CommandFixture, _ line: String) throws -> String {
    let outcome = try Transcript.run(.init(line: 0, command: "ckdb \(line)"), in: fixture)
    #expect(outcome.code == 0, "\(line): \(outcome.errors)")
    return outcome.output
  }

  private func world() throws -> CommandFixture {
    let fixture = try CommandFixture(entering: true)
    _ = try fixture.file("photo.jpg", "pixels")
    for line in [
      "container create iCloud.org.example.app", "container create iCloud.org.example.other",
      "use -C iCloud.org.example.app", "account create ann --email ann@example.org --given '<Ann>'",
      "user contact add bob@example.org -u ann", "device add phone --account ann",
      "zone create Lists -u ann", "record save List --name shop -z Lists -u ann",
      "record save Item --name milk --parent shop photo@photo.jpg -z Lists -u ann",
      "share create shop --with bob -z Lists -u ann",
      "record save Post --name hello -d public -u ann",
      "record save Post --name other -d public -u bob", "record save Note --name secret -u bob",
      "record save Note --name far -u ann -C iCloud.org.example.other",
      "kvs set level:=13 --device phone", "kvs sync --device phone",
      "kvs set level:=14 --device phone", "kvs set secret=bob -u bob",
    ] { _ = try run(fixture, line) }
    return fixture
  }

  /// The files below a folder with their contents.
  private func files(_ folder: String, _ prefix: String = "") throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileSystem.list(folder) {
      let path = "\(folder)/\(name)"
      if FileSystem.isDirectory(path) {
        files.merge(try self.files(path, "\(prefix)\(name)/")) { first, _ in first }
      } else {
        files[prefix + name] = try FileSystem.contents(of: path)
      }
    }
    return files
  }

  @Test("M8: it has all data of one user and none of others, and the same bytes the second time")
  func everything() throws {
    let fixture = try world()
    _ = try run(fixture, "account export ann -o one")
    _ = try run(fixture, "account export ann -o two")
    let one = try files(fixture.directory.path + "/one")
    #expect(one == (try files(fixture.directory.path + "/two")))
    let place = "iCloud.org.example.app/development"
    #expect(
      Set(one.keys.filter { !$0.hasPrefix("assets/") }) == [
        "account.json", "index.html", "\(place)/users.json", "\(place)/private.json",
        "\(place)/public.json", "\(place)/shares.json",
        "iCloud.org.example.other/development/users.json",
        "iCloud.org.example.other/development/private.json",
        "iCloud.org.example.app/key-values.json",
      ])
    let assets = one.filter { $0.key.hasPrefix("assets/") }.map(\.value)
    #expect(assets == [Array("pixels".utf8)])
    for (name, words) in [
      ("account.json", ["ann@example.org", "bob@example.org", "phone", "<Ann>"]),
      ("\(place)/private.json", ["shop", "milk", "cloudkit.share"]),
      ("\(place)/public.json", ["hello"]),
      (
        "iCloud.org.example.app/key-values.json",
        ["\"iCloud\":", "\"phone\":", "{\"integer\":13}", "{\"integer\":14}"]
      ),
      ("\(place)/shares.json", ["ckdb://share/", "privateUser"]),
      ("index.html", ["private.json", "public.json", "shares.json", "iCloud.org.example.other"]),
    ] {
      let text = String(decoding: one[name] ?? [], as: UTF8.self)
      for word in words { #expect(text.contains(word), "\(name) has no \(word)") }
    }
    for (name, bytes) in one {
      let text = String(decoding: bytes, as: UTF8.self)
      for word in ["secret", "\"other\""] { #expect(!text.contains(word), "\(name): \(word)") }
    }
  }

  @Test("M8: an export that cannot be written leaves nothing behind")
  func nowhere() throws {
    let fixture = try world()
    let outcome = try fixture.run(["account", "export", "ann", "-o", "photo.jpg/folder"])
    #expect(outcome.code == 73)
    #expect(try FileSystem.list(fixture.directory.path).allSatisfy { !$0.contains(".part-") })
  }
}
