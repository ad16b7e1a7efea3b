internal import Basics
internal import CloudSync
internal import Glibc
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// `ckdb remote` (cli.md, §14).
@Suite struct RemoteCommandTests: RemoteTests {
  let remote = MemoryRemote()

  @Test("secrets are in one file of mode 0600, and nowhere else")
  func secrets() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    var texts: [String] = []
    for line in [
      "remote list", "remote show lab", "remote list -f json", "pull -v", "push -v",
      "remote check lab", "export --system", "remote diff", "context",
    ] {
      let outcome = try fixture.run(line)
      texts.append(outcome.output + outcome.errors)
    }
    #expect(!texts.joined().contains("SECRET"))
    let folder = fixture.directory.path
    let givers = ["/.config/ckdb/remotes/lab.json", "/token", "/web"].map { folder + $0 }
    for path in try FileSystem.tree(of: folder) where !givers.contains(path) {
      let bytes = try FileSystem.contents(of: path)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("SECRET"), "\(path)")
    }
    let file = folder + "/.config/ckdb/remotes/lab.json"
    #expect(try FileSystem.knownStatus(of: file).st_mode & 0o777 == 0o600)
    _ = try ChildProcess.run(
      ["/bin/chmod", "640", file], fixture.variables, output: 1, errors: 2)
    let refused = try expect(fixture, "pull", code: 77).errors
    #expect(refused.contains("contains secrets") && refused.contains("chmod 600"))
    #expect(!refused.contains("SECRET"))
  }

  @Test("requests are signed with tokens, and the newest token of the server is kept")
  func tokens() throws {
    let fixture = try fixture()
    remote.faults["users/caller"] = [
      .answer(
        RemoteResponse(
          200, headers: ["x-apple-cloudkit-web-auth-token": "new+/="],
          body: Array(#"{"userRecordName":"_me"}"#.utf8)))
    ]
    _ = try expect(fixture, "pull -d private")
    let urls = remote.calls.map(\.request.url)
    #expect(urls[0].hasSuffix("users/caller?ckAPIToken=api-SECRET-1&ckWebAuthToken=web-SECRET-2"))
    #expect(urls[1].hasSuffix("ckWebAuthToken=new%2B%2F%3D"))
    _ = try expect(fixture, "pull -d private")
    #expect(remote.calls.last { $0.action == "users/caller" }?.request.url.hasSuffix("%3D") == true)
  }

  @Test("--replace changes what is named, and no other server gets the credentials")
  func replacing() throws {
    let fixture = try fixture()
    let web = try fixture.file("new", "web-SECRET-3")
    fixture.variables["CKDB_ENVIRONMENT"] = "production"
    fixture.variables["CKDB_CONTAINER"] = "iCloud.org.example.other"
    let before = try fixture.run("remote show lab").output
    _ = try expect(fixture, "remote add lab --replace --web-auth-token-file \(web)")
    #expect(try fixture.run("remote show lab").output == before)
    fixture.variables["CKDB_ENVIRONMENT"] = nil
    fixture.variables["CKDB_CONTAINER"] = nil
    _ = try expect(fixture, "pull -d private")
    let url = try #require(remote.calls.first?.request.url)
    #expect(url.hasSuffix("?ckAPIToken=api-SECRET-1&ckWebAuthToken=web-SECRET-3"))
    _ = try expect(
      fixture, "remote add lab --replace --api-token-file \(fixture.file("api", "api-SECRET-4"))")
    remote.calls = []
    _ = try expect(fixture, "pull -d private")
    let next = try #require(remote.calls.first?.request.url)
    #expect(next.hasSuffix("?ckAPIToken=api-SECRET-4&ckWebAuthToken=web-SECRET-3"))
    _ = try expect(fixture, "remote add lab --replace -e production")
    #expect(try fixture.run("remote show lab").output.contains("production"))
    for line in ["", " --web-auth-token-file \(web)"] {
      _ = try expect(
        fixture, "remote add lab --replace --url https://other.example\(line)", code: 64)
    }
    let token = "\(fixture.directory.path)/token"
    _ = try expect(
      fixture, "remote add lab --replace --url https://other.example --api-token-file \(token)")
    #expect(try fixture.run("remote show lab").output.contains("https://other.example"))
  }

  @Test("--replace needs a remote that exists, and a key ID has only visible characters")
  func refusedParts() throws {
    let fixture = try fixture()
    let unknown = try expect(fixture, "remote add lap --replace -e production", code: 1)
    #expect(unknown.errors.contains("Remote 'lap' does not exist"))
    let pem = try fixture.file("key.pem", "-----BEGIN PRIVATE KEY-----\nAA==\n")
    for id in ["", "a b", "a\nb", "é"] {
      let outcome = try fixture.run([
        "remote", "add", "key", "-C", "iCloud.org.example.app", "--key-id", id, "--key", pem,
      ])
      #expect(outcome.code == 64 && outcome.errors.contains("is not the ID of a key"), "\(id)")
    }
    #expect(try fixture.run("remote list -f names").output == "lab\n")
  }

  @Test("the newest token of the server does not replace what was changed meanwhile")
  func replacedMeanwhile() throws {
    let fixture = try fixture()
    let file = fixture.directory.path + "/.config/ckdb/remotes/lab.json"
    let changed = try String(decoding: FileSystem.contents(of: file), as: UTF8.self)
      .replacing("web-SECRET-2", with: "web-SECRET-9")
    remote.faults["users/caller"] = [
      .answer(
        RemoteResponse(
          200, headers: ["x-apple-cloudkit-web-auth-token": "new"],
          body: Array(#"{"userRecordName":"_me"}"#.utf8)))
    ]
    remote.onCall = { _ in try? FileHandle(open: file, O_WRONLY).writeAll(Array(changed.utf8)) }
    _ = try expect(fixture, "pull -d private")
    #expect(try String(decoding: FileSystem.contents(of: file), as: UTF8.self) == changed)
  }

  @Test("a key signs the date, the hash of the body and the path")
  func keys() throws {
    let fixture = try fixture()
    let pem = "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----"
    let path = try fixture.file("key.pem", pem)
    _ = try expect(
      fixture,
      "remote add key --url https://k.example -C iCloud.org.example.app --key-id my-key "
        + "--key \(path)"
    )
    _ = try expect(fixture, "pull key Place")
    let call = try #require(remote.calls.last)
    #expect(call.action == "records/query")
    let headers = Dictionary(uniqueKeysWithValues: call.request.headers.map { ($0.name, $0.value) })
    let date = try #require(headers["X-Apple-CloudKit-Request-ISO8601Date"])
    #expect(date.count == 20 && date.hasSuffix("Z") && !date.contains("."))
    let hash = Base64.encode(SHA256.hash(call.request.body))
    let target = call.request.url.dropFirst("https://k.example".count)
    let signed = SHA256.hash(Array("\(date):\(hash):\(target)".utf8) + Array(pem.utf8))
    #expect(headers["X-Apple-CloudKit-Request-SignatureV1"] == Base64.encode(signed))
    #expect(headers["X-Apple-CloudKit-Request-KeyID"] == "my-key")
    #expect(try expect(fixture, "pull key -d private", code: 77).errors.contains("only the public"))
  }

  @Test(
    "a remote that cannot be added is refused",
    arguments: [
      ("add lab --api-token-file token", Int32(73), "already exists"),
      ("add x --url http://far.example --api-token-file token", 64, "plain text"),
      ("add x --url ftp://far.example --api-token-file token", 64, "--url must be"),
      ("add x", 64, "needs --key-id and --key, or --api-token-file"),
      ("add x --key-id K --key token", 65, "is not a private key in PEM"),
      ("add x --key-id K --key k --api-token-file token", 64, "needs --key-id"),
      ("add ../x --api-token-file token", 65, "not a name of a remote"),
      ("add x --api-token-file missing", 66, "missing"),
      ("show nope", 1, "Remote 'nope' does not exist"),
    ])
  func refusals(_ line: String, _ code: Int32, _ words: String) throws {
    let fixture = try fixture()
    let folder = fixture.directory.path
    let line = line.split(separator: " ").map {
      ["token", "missing", "k"].contains($0) ? "\(folder)/\($0)" : String($0)
    }
    let outcome = try fixture.run(["remote"] + line)
    #expect(outcome.code == code)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test("check names the index that a pull needs; diff compares with the whole remote")
  func checkAndDiff() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    #expect(try expect(fixture, "remote diff -d private").errors.contains("no differences"))
    _ = try expect(fixture, "record save Note --name a title=2 --policy changed -z Notes")
    let diff = try expect(fixture, "remote diff -d private", code: 1).output
    #expect(diff.contains(#"-title: "1""#) && diff.contains(#"+title: "2""#), "\(diff)")
    let refused =
      #"{"serverErrorCode":"BAD_REQUEST","reason":"Field '___createTime' is not marked queryable"}"#
    remote.faults["records/query"] = [.answer(RemoteResponse(400, body: Array(refused.utf8)))]
    let check = try expect(fixture, "remote check -f json", code: 1).output
    #expect(check.contains(#"\"___createTime\" TIMESTAMP QUERYABLE SORTABLE"#), "\(check)")
  }
}

extension FileSystem {
  /// The regular files below a folder.
  fileprivate static func tree(of folder: String) throws -> [String] {
    try list(folder).flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      return isFolder(path) ? try tree(of: path) : isRegular(path) ? [path] : []
    }
  }
}
