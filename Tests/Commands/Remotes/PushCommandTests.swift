internal import Basics
internal import CloudSync
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// `ckdb push` (cli.md, §14).
@Suite struct PushCommandTests: RemoteTests {
  let remote = MemoryRemote()

  @Test("a push creates, changes and deletes, and then has nothing to do")
  func pushes() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)", ("n", .int(Int64(number)), "INT64")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name r1 n:=null title=x --policy changed -z Notes")
    _ = try expect(fixture, "record save Note --name child --parent r1 -z Notes")
    _ = try expect(fixture, "record delete r2 -z Notes --yes")
    _ = try expect(fixture, "zone create Other")
    _ = try expect(fixture, "record save Note --name o -z Other")
    let plan = try expect(fixture, "push --dry-run -d private -f tsv").output
    for row in [
      "\t\tcreate zone\tprivate\tOther", "r1\tNote\tchange\t", "child\tNote\tcreate",
      "r2\tNote\tdelete",
    ] { #expect(plan.contains(row), "\(row): \(plan)") }
    let outcome = try expect(fixture, "push -d private").errors
    #expect(outcome.contains("private: 2 created, 1 changed, 1 deleted, zones created: 1"))
    let r1 = try #require(remote.records["private Notes r1"])
    #expect(r1.fields.map(\.name) == ["title"], "null removes the value")
    #expect(remote.records["private Notes child"]?.parent == "r1")
    #expect(remote.records["private Notes r2"]?.isDeleted == true)
    remote.calls.removeAll()
    _ = try expect(fixture, "push -d private")
    #expect(remote.calls.map(\.action) == ["users/caller"])
    // The echo of what was pushed changes nothing.
    #expect(try expect(fixture, "pull -d private").errors.contains("0 created, 0 changed"))
  }

  @Test("targets are sent before the records that refer to them")
  func order() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    for (name, parent) in [("c", nil), ("b", "c"), ("a", "b")] as [(String, String?)] {
      let parent = parent.map { " --parent \($0)" } ?? ""
      _ = try expect(fixture, "record save Note --name \(name)\(parent) -z Notes")
    }
    // Saved again, the target has the newest version.
    _ = try expect(fixture, "record save Note --name c title=x --policy changed -z Notes")
    _ = try expect(fixture, "push -d private")
    let operations = remote.calls.first { $0.action == "records/modify" }?.body["operations"]
    #expect(
      operations?.array?.compactMap { $0["record"]?["recordName"]?.string } == ["c", "b", "a"])
  }

  @Test("assets are uploaded first, and only those that the server has not")
  func pushesAssets() throws {
    let fixture = try fixture()
    _ = try fixture.file("f", "hello")
    _ = try expect(fixture, "zone create Notes")
    let path = fixture.directory.path
    _ = try expect(fixture, "record save Pic --name p image@\(path)/f title=1 -z Notes")
    _ = try expect(fixture, "push -d private")
    #expect(Array(remote.files.values) == [Array("hello".utf8)])
    remote.calls.removeAll()
    _ = try expect(fixture, "record save Pic --name p title=2 --policy changed -z Notes")
    _ = try expect(fixture, "push -d private")
    #expect(!remote.calls.contains { $0.action == "assets/upload" })
    #expect(remote.records["private Notes p"]?.fields.count == 2)
    _ = try expect(fixture, "pull -d private")
    #expect(remote.downloads.isEmpty, "the store has the contents")
  }

  @Test(
    "--conflicts: keep leaves both, theirs takes the remote's, mine replaces it",
    arguments: [("keep", Int32(3)), ("theirs", 0), ("mine", 0)])
  func conflicts(_ choice: String, _ code: Int32) throws {
    let fixture = try fixture()
    for name in ["a", "b", "c"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    for name in ["a", "b"] {
      _ = try expect(
        fixture, "record save Note --name \(name) title=here --policy changed -z Notes")
    }
    _ = try expect(fixture, "record delete c -z Notes --yes")
    remote.put("a", ("title", .string("there"), "STRING"))
    remote.delete("b")
    remote.put("c", ("title", .string("there"), "STRING"))
    let outcome = try expect(
      fixture, "push -d private --delete --conflicts \(choice)", code: code
    ).errors
    if choice == "keep" { #expect(outcome.contains("Notes/b: changed here, deleted there")) }
    let there = ["a", "b", "c"].map { name -> String? in
      let record = remote.records["private Notes \(name)"]
      return record?.isDeleted == true
        ? nil : record?.fields.first { $0.name == "title" }?.value["value"]?.string
    }
    let here = try ["a", "b", "c"].map { name -> String? in
      let found = try fixture.run("record fetch \(name) -z Notes -f raw --fields title")
      return found.code == 0 ? String(found.output.dropLast()) : nil
    }
    switch choice {
    case "keep": #expect(there == ["there", nil, "there"] && here == ["here", "here", nil])
    case "theirs": #expect(there == here && here == ["there", nil, "there"])
    default: #expect(there == here && here == ["here", "here", nil])
    }
  }

  @Test("more than a tenth of a type, or a zone, is deleted only with --delete (exit code 65)")
  func massDeletions() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)") }
    _ = try expect(fixture, "pull -d private")
    for number in 1...3 { _ = try expect(fixture, "record delete r\(number) -z Notes --yes") }
    let outcome = try expect(fixture, "push -d private", code: 65).errors
    #expect(outcome.contains("private/Notes: 3 of 20 Note"))
    _ = try expect(fixture, "zone delete Notes --yes")
    #expect(try expect(fixture, "push -d private", code: 65).errors.contains("with 20 records"))
    #expect(!remote.calls.contains { $0.action.hasSuffix("modify") })
    _ = try expect(fixture, "push -d private --delete")
    #expect(remote.zones.isEmpty)
  }

  @Test("after a restored snapshot, and after a reset, a push refuses until the next pull")
  func restored() throws {
    let fixture = try fixture()
    for name in ["a", "b"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "snapshot save empty")
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "snapshot save full")
    _ = try expect(fixture, "record delete a -z Notes --yes")
    _ = try expect(fixture, "snapshot restore full --yes")
    #expect(try expect(fixture, "push -d private --delete", code: 76).errors.contains("ckdb pull"))
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "push -d private --delete")
    _ = try expect(fixture, "schema reset --yes")
    _ = try expect(fixture, "push -d private --delete", code: 76)
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 2 created"))
    _ = try expect(fixture, "push -d private --delete")
    #expect(remote.records.values.allSatisfy { !$0.isDeleted })
  }

  @Test("a zone that was never pulled is not deleted here, whatever a push is limited to")
  func partialPulls() throws {
    let fixture = try fixture()
    for zone in ["A", "B"] { remote.put("r", in: zone, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private -z A")
    _ = try expect(fixture, "push -d private --delete")
    #expect(remote.zones.count == 2)
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "zone delete B --yes")
    _ = try expect(fixture, "push lab Note -d private --delete")
    #expect(remote.zones.count == 2, "a type is not a zone")
    remote.put("r", in: "B", ("title", .string("2"), "STRING"))
    let outcome = try expect(fixture, "push -d private --delete", code: 3).errors
    #expect(outcome.contains("the zone B was deleted here, and changed on the remote"))
    #expect(remote.zones.count == 2)
  }

  @Test("a reset after a push that was cut off makes the next push refuse, too")
  func resetAfterCut() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)", ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name r1 title=2 --policy changed -z Notes")
    remote.faults["records/modify"] = [.before(RemoteFailure(.permanent, "cut"))]
    _ = try expect(fixture, "push -d private", code: 69)
    _ = try expect(fixture, "schema reset --yes")
    for _ in 1...2 { _ = try expect(fixture, "push -d private --delete", code: 76) }
    #expect(remote.records.values.allSatisfy { !$0.isDeleted })
  }

  @Test("--conflicts mine deletes many records only with --delete")
  func massConflicts() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)", ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    for number in 1...3 { _ = try expect(fixture, "record delete r\(number) -z Notes --yes") }
    for number in 1...3 { remote.put("r\(number)", ("title", .string("2"), "STRING")) }
    _ = try expect(fixture, "pull -d private", code: 3)
    _ = try expect(fixture, "push -d private --conflicts mine", code: 65)
    #expect(remote.records.values.allSatisfy { !$0.isDeleted })
    _ = try expect(fixture, "push -d private --conflicts mine --delete")
    #expect(remote.records.values.count { $0.isDeleted } == 3)
  }

  @Test("encrypted values are not pushed, and stay here when the record is pulled again")
  func encrypted() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    _ = try expect(
      fixture, "record save Note --name a title=1 secret:encrypted<string>=hidden -z Notes")
    let outcome = try expect(fixture, "push -d private").errors
    #expect(outcome.contains("encrypted values cannot be pushed: Note.secret of 1 record"))
    #expect(remote.records["private Notes a"]?.fields.map(\.name) == ["title"])
    remote.put("a", ("title", .string("2"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    let records = try records(fixture)
    #expect(records.contains("hidden") && records.contains(#""title":"2""#))
    #expect(try expect(fixture, "push -d private").errors.contains("0 created, 0 changed"))
    // Another value there, and one here that could not be sent.
    _ = try expect(
      fixture,
      "record save Note --name a secret:encrypted<string>=mine --policy changed -z Notes")
    remote.put("a", ("title", .string("3"), "STRING"), ("secret", .string("theirs"), "STRING"))
    _ = try expect(fixture, "pull -d private", code: 3)
    #expect(try self.records(fixture).contains("mine"))
  }

  @Test("one record that the server refuses does not keep the others from being sent")
  func refusedRecord() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    for number in 1...9 {
      _ = try expect(fixture, "record save Note --name r\(number) n:=1 -z Notes")
    }
    remote.refusedWhole = ["r4"]
    let outcome = try expect(fixture, "push -d private", code: 3).errors
    #expect(outcome.contains("r4: BAD_REQUEST: Invalid value"))
    #expect(remote.records.count == 8)
  }

  @Test("production needs --yes")
  func production() throws {
    let fixture = try fixture()
    let path = fixture.directory.path
    _ = try expect(
      fixture,
      "remote add prod --url https://p.example -C iCloud.org.example.app -e production "
        + "--api-token-file \(path)/token --web-auth-token-file \(path)/web")
    #expect(try expect(fixture, "push prod", code: 64).errors.contains("add --yes"))
    _ = try expect(fixture, "push prod --dry-run")
    _ = try expect(fixture, "push prod --yes")
    #expect(remote.calls.allSatisfy { $0.request.url.contains("/production/") })
  }
}
