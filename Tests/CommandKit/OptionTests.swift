internal import CommandKit
internal import Testing

/// Options and operands of the command line (M1, M1.2).
@Suite struct OptionTests {
  private func values(_ line: String) throws -> Arguments {
    try #require(try Shop.run(line.split(separator: " ").map(String.init))).values
  }

  @Test("options may appear anywhere: every place of every option gives the same values")
  func anywhere() throws {
    let line = ["item", "add", "chair", "3"]
    for option in [["-z", "A"], ["--zone", "A"], ["--zone=A"], ["-zA"], ["-z=A"]] {
      for place in 0...line.count {
        let words = Array(line[..<place]) + option + Array(line[place...])
        let run = try #require(try Shop.run(words))
        #expect(run.path == ["item", "add"])
        #expect(run.values[Shop.zone] == "A")
        #expect(run.values.required(Shop.name) == "chair")
        #expect(run.values[Shop.number] == 3)
      }
    }
  }

  @Test("a command's own options may appear anywhere after its name")
  func ownOptions() throws {
    for line in [
      "item add --limit 5 chair", "item add chair --limit=5", "item add -n5 chair",
      "item add -fn5 chair", "item add chair -qfn 5",
    ] {
      #expect(try values(line)[Shop.limit] == 5, "\(line)")
    }
    #expect(throws: UsageError.self) { try Shop.parse("--limit 5 item add chair") }
  }

  @Test("short flags may be bundled, and the last may have a value")
  func bundles() throws {
    let all = try values("item add -qvfz Notes chair")
    #expect(all[Shop.quiet] && all[Shop.verbose] && all[Shop.force])
    #expect(all[Shop.zone] == "Notes")
    // A letter that takes a value takes the rest of the word.
    let some = try values("item add -qzvf chair")
    #expect(some[Shop.zone] == "vf" && !some[Shop.verbose])
  }

  @Test("-- ends the options, before the command too; - is an operand")
  func dashes() throws {
    let run = try #require(try Shop.run(["-q", "--", "item", "delete", "--zone", "-h", "--", "-"]))
    #expect(run.values.all(Shop.names) == ["--zone", "-h", "--", "-"])
    #expect(try values("item delete -").all(Shop.names) == ["-"])
    #expect(try values("item delete - -q -")[Shop.quiet])
  }

  @Test("the words of options give the same options, but for those of another line")
  func optionWords() throws {
    for line in ["-q", "-z -q", "-z=a=b -qv --quiet", "--zone= --store /tmp/x", "-vq"] {
      let all = try values("list \(line)")
      let again = try #require(try Shop.run(all.optionWords(without: Arguments()) + ["list"]))
        .values
      #expect(Set(again.optionNames) == Set(all.optionNames), "\(line)")
      #expect(again[Shop.zone] == all[Shop.zone] && again[Shop.store] == all[Shop.store])
      #expect(all.optionWords(without: again) == [])
    }
    let base = try values("list -z A -q --store s")
    #expect(base.optionWords(without: try values("list -v -zB")) == ["--quiet", "--store=s"])
  }

  @Test("values may be empty, may begin with a dash, may hold =")
  func oddValues() throws {
    #expect(try Shop.run(["item", "add", "", "--zone="])?.values[Shop.zone] == "")
    #expect(try Shop.run(["item", "add", "", "--zone", ""])?.values[Shop.zone] == "")
    #expect(try Shop.run(["item", "add", ""])?.values.required(Shop.name) == "")
    #expect(try values("item add a --zone --quiet")[Shop.zone] == "--quiet")
    #expect(try values("item add a --zone=a=b")[Shop.zone] == "a=b")
  }

  @Test("a repeated option keeps the order of its values; any other is refused the second time")
  func repeated() throws {
    #expect(try values("item add a -t x --tag y -tz").all(Shop.tags) == ["x", "y", "z"])
    #expect(try values("item add a -q -q --quiet")[Shop.quiet])
    for line in ["-z A item add a --zone B", "item add a -n1 --limit=1"] {
      let error = #expect(throws: UsageError.self) { try Shop.parse(line) }
      #expect(error?.message.hasSuffix("is given twice") == true)
    }
  }

  @Test("options and operands that are not given are nil, false or empty")
  func absent() throws {
    let values = try values("item add chair")
    #expect(values[Shop.colour] == nil && values[Shop.number] == nil)
    #expect(!values[Shop.force] && values.all(Shop.tags) == [] && !values.has("zone"))
  }

  @Test("a command that takes the rest takes options after its first operand as words")
  func takesRest() throws {
    let run = try values("exec -f -q make --zone A -h --")
    #expect(run.all(Shop.words) == ["make", "--zone", "A", "-h", "--"])
    #expect(run[Shop.force] && run[Shop.quiet] && run[Shop.zone] == nil)
    #expect(try values("exec -- -f").all(Shop.words) == ["-f"])
    #expect(try values("exec").all(Shop.words) == [])
  }

  @Test("the root's options belong to the bare program only")
  func rootOptions() throws {
    guard case .nothing(let values) = try Shop.parse("-q -c text --version") else {
      Issue.record("a command was found")
      return
    }
    #expect(values[Shop.command] == "text" && values[Shop.version])
    #expect(throws: UsageError.self) { try Shop.parse("list -c text") }
    #expect(throws: UsageError.self) { try Shop.parse("item --version add a") }
  }

  @Test("values after others: the others take precedence")
  func after() throws {
    let saved = try values("list -z saved -q")
    let line = try values("list -z line")
    #expect(saved.after(line)[Shop.zone] == "saved")
    #expect(line.after(saved)[Shop.zone] == "line")
    #expect(line.after(saved)[Shop.quiet])
  }
}
