import Basics
import TestSupport
import Testing

/// The verbs of the server that are the tool's own (cli.md §13). What the server does has tests in
/// Tests/Server.
@Suite struct ServerCommandTests {
  private func program() throws -> RealProgram {
    let program = try RealProgram()
    try #require(try program.shell("ckdb container create iCloud.org.example.app").code == 0)
    return program
  }

  @Test(
    "without the server the tool says how to get it",
    arguments: [
      "serve", "serve --temporary", "dashboard", "key create ci -o ci.pem", "exec --serve -- true",
    ])
  func missing(_ line: String) throws {
    let program = try program()
    let folder = program.directory.path
    // A copy by this process would be busy while another test's child has it open for writing.
    let outcome = try program.shell(
      "cp '\(RealProgram.path)' ckdb && chmod 755 ckdb && mkdir tmp && export TMPDIR=$PWD/tmp && ./ckdb \(line)"
    )
    #expect(outcome.code == 69)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("ckdb: error: the server is not installed: there is no "))
    #expect(outcome.errors.contains("hint: install the package ckdb-server, or run 'make"))
    #expect(try FileSystem.list(folder + "/tmp").isEmpty, "a store remains")
  }

  @Test(
    "a command line that cannot be served is refused before the server starts",
    arguments: [
      ("--host 0.0.0.0", "0.0.0.0 is reachable from other machines, which needs TLS"),
      ("--tls-cert c.pem", "--tls-cert and --tls-key need each other"),
      ("--base-path a/", "--base-path begins with a slash, and does not end with one"),
    ])
  func refused(_ options: String, _ error: String) throws {
    let outcome = try program().shell("ckdb serve \(options)")
    #expect(outcome.code == 64)
    #expect(outcome.errors.hasPrefix("ckdb: error: \(error)\n"))
  }

  @Test("tokens are listed with what they allow, and deleted by text or name")
  func tokens() throws {
    let program = try program()
    let plain = try program.shell("ckdb token create").output.dropLast()
    #expect(plain.count == 64 && plain.allSatisfy { $0.isHexDigit })
    let site = try program.shell(
      "ckdb token create --name site --origin https://a.example --origin https://b.example "
        + "--callback https://a.example/done -e production -f json")
    let json = try #require(try JSONParser.parse(site.output).array?.first)
    #expect(json["environment"]?.string == "production")
    #expect(json["origins"]?.string == "https://a.example https://b.example")
    let list = try program.shell("ckdb token list -f tsv").output
    #expect(list.split(separator: "\n").count == 3, "a header and two tokens")
    #expect(list.contains("https://a.example/done"))
    #expect(try program.shell("ckdb token create --origin a.example").code == 64)
    #expect(try program.shell("ckdb token delete site \(plain)").code == 0)
    #expect(try program.shell("ckdb token list -f json").output == "[]\n")
    #expect(try program.shell("ckdb token delete site").code == 1)
  }

  @Test("the file of tokens is the owner's alone, and no copy of the store has it")
  func secrets() throws {
    let program = try program()
    let token = try program.shell("ckdb token create").output.dropLast()
    #expect(try program.shell("stat -c %a store/access.json").output == "600\n")
    let copied = try program.shell(
      "ckdb snapshot save s -q && ckdb store backup copy -q && grep -rl --exclude='.out*' \(token) ."
    )
    #expect(copied.output == "./store/access.json\n")
    let restored = try program.shell("ckdb snapshot restore s --yes -q && ckdb token list -f json")
    #expect(restored.output.contains(token), "a restored store keeps its callers")
  }

  @Test("a web auth token needs one API token, or the name of one")
  func signIn() throws {
    let program = try program()
    #expect(try program.shell("ckdb token sign-in ann").code == 1)
    _ = try program.shell("ckdb token create --name a && ckdb token create --name b")
    #expect(try program.shell("ckdb token sign-in ann").code == 64)
    let first = try program.shell("ckdb token sign-in ann --token a").output
    let second = try program.shell("ckdb token sign-in ann --token b").output
    #expect(first.count > 40 && first != second)
  }
}
