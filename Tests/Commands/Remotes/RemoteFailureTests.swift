internal import Basics
internal import CloudSync
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// What a pull and a push do when requests fail (web-services.md, §5).
@Suite struct RemoteFailureTests: RemoteTests {
  let remote = MemoryRemote()

  @Test(
    "an answer that is lost is found out before anything is sent again",
    arguments: ["after", "twice", "internal", "html"])
  func lostAnswers(_ kind: String) throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    for number in 1...3 {
      _ = try expect(fixture, "record save Note --name r\(number) n:=1 -z Notes")
    }
    let fault: MemoryRemote.Fault =
      switch kind {
      case "after": .after(RemoteFailure(.unknown, "cut"))
      case "twice": .twice
      case "internal":
        .answer(RemoteResponse(500, body: Array(#"{"serverErrorCode":"INTERNAL_ERROR"}"#.utf8)))
      default: .answer(RemoteResponse(502, body: Array("<html>".utf8)))
      }
    remote.faults["records/modify"] = [fault]
    let outcome = try expect(fixture, "push -d private").errors
    if kind == "after" {
      #expect(outcome.contains("private: 3 created"))
      #expect(remote.calls.count { $0.action == "records/modify" } == 1)
    }
    #expect(remote.records.count == 3)
    remote.calls.removeAll()
    _ = try expect(fixture, "push -d private")
    #expect(!remote.calls.contains { $0.action == "records/modify" })
  }

  @Test(
    "items that the server puts off are sent again; what it refuses is listed with its code",
    arguments: ["THROTTLED", "TRY_AGAIN_LATER", "CAS_OP_LOCK", "ZONE_BUSY", "NEW_CODE"])
  func itemErrors(_ code: String) throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    _ = try expect(fixture, "record save Note --name r n:=1 -z Notes")
    remote.faults["records/modify"] = [.items(code)]
    let outcome = try expect(fixture, "push -d private", code: code == "NEW_CODE" ? 3 : 0).errors
    if code == "NEW_CODE" { #expect(outcome.contains("r: NEW_CODE: refused")) }
    #expect(remote.records.isEmpty == (code == "NEW_CODE"))
  }

  @Test(
    "requests that fail are repeated if that helps; others end the command with the server's words",
    arguments: [
      (429, "THROTTLED", Int32(0)), (503, "TRY_AGAIN_LATER", 0), (500, "INTERNAL_ERROR", 0),
      (401, "AUTHENTICATION_FAILED", 77), (403, "ACCESS_DENIED", 77), (418, "TEAPOT", 65),
    ])
  func requestErrors(_ status: Int, _ code: String, _ exit: Int32) throws {
    let fixture = try fixture()
    remote.put("a")
    let body = #"{"serverErrorCode":"\#(code)","reason":"because","retryAfter":0.01}"#
    remote.faults["changes/database"] = [.answer(RemoteResponse(status, body: Array(body.utf8)))]
    let outcome = try expect(fixture, "pull -d private", code: exit)
    if exit != 0 { #expect(outcome.errors.contains("lab: \(code): because")) }
  }

  @Test("a server that asks for more patience than ten minutes, or than a number holds, ends it")
  func longRetry() throws {
    let fixture = try fixture()
    let body = #"{"serverErrorCode":"THROTTLED","reason":"later","retryAfter":1e300}"#
    remote.faults["changes/database"] = [.answer(RemoteResponse(429, body: Array(body.utf8)))]
    #expect(try expect(fixture, "pull -d private", code: 75).errors.contains("THROTTLED: later"))
  }

  @Test("a feed that is refused again after it started anew ends the pull")
  func refusedFeed() throws {
    let fixture = try fixture()
    remote.put("a")
    _ = try expect(fixture, "pull -d private")
    remote.put("b")
    let refused = #"{"zones":[{"serverErrorCode":"BAD_REQUEST","reason":"never"}]}"#
    let answer = MemoryRemote.Fault.answer(RemoteResponse(200, body: Array(refused.utf8)))
    remote.faults["changes/zone"] = Array(repeating: answer, count: 3)
    #expect(try expect(fixture, "pull -d private", code: 65).errors.contains("BAD_REQUEST: never"))
  }

  @Test("redirects are refused, and a server that cannot be reached is 69")
  func unreachable() throws {
    let fixture = try fixture()
    let headers = ["location": "https://evil.example/?ckAPIToken=api-SECRET-1"]
    remote.faults["users/caller"] = [.answer(RemoteResponse(302, headers: headers))]
    let outcome = try expect(fixture, "pull", code: 65).errors
    #expect(outcome.contains("redirects are refused: https://evil.example/"))
    #expect(!outcome.contains("SECRET"))
    remote.faults["users/caller"] = [.before(RemoteFailure(.permanent, "no certificate"))]
    _ = try expect(fixture, "pull", code: 69)
  }
}
