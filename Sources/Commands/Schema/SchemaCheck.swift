internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import CoreDataModel
internal import Fixtures
internal import WireFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb schema check FILE…`
enum SchemaCheck {
  static let files = Operand(
    "FILE", .file, .any, "Files of records, schema files, and Core Data models")
  static let against = Option(
    "against", nil, ValueKind<String>.text("SCHEMA", candidates: .files),
    "Schema file, development or production (default: production)")
  static let queries = Option("queries", nil, .file, "File of queries, one TYPE PREDICATE per line")
  static let junit = Flag("junit", "Report findings as JUnit XML")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(files)],
      options: [
        AnyOption(against), AnyOption(queries), AnyOption(FixtureOptions.allowed), AnyOption(junit),
      ],
      discussion: """
        Checks that production has what an app uses: every type and field of records in files that \
        import reads and in fixtures, of schema files (.ckdb), of Core Data models \
        (.xcdatamodeld), and of the development schema; and with --queries the indexes that \
        queries need. With --against FILE no store is needed. Each finding is printed with its \
        file, line and column, and what the schema lacks; the exit code is 1 if there are any but \
        warnings. The file name gives the type of records that do not name one.
        """,
      examples: [
        .init(
          "Catch schema mistakes in CI",
          "ckdb schema check fixtures/*.jsonl --against production.ckdb"),
        .init("Check queries as well", "ckdb schema check --queries queries.txt"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let target = arguments[against] ?? Environment.production.rawValue
    let environment = Environment(rawValue: target)
    let schema = try SchemaFile.schema(target, context)
    var checker = SchemaChecker(schema, named: target)
    let allowed = arguments.all(FixtureOptions.allowed)
    for file in arguments.all(files) { try check(file, schema, allowed, &checker, context) }
    if let queries = arguments[queries] { try check(queries: queries, &checker, context) }
    // Last, so that what a file also uses is reported with its line.
    if environment != .development, let development = try development(context, environment) {
      checker.check(development, in: Environment.development.rawValue)
    }
    let faults = checker.faults()
    if arguments[junit] {
      let failures = faults.filter { !$0.isWarning }.map(\.failure)
      context.output.write(JUnitReport.text(suite: "schema check", failures))
    } else {
      try show(faults, context)
    }
    guard faults.allSatisfy(\.isWarning) else { throw QuietExit(code: .no) }
    context.report(
      faults.isEmpty
        ? "\(target) has everything" : "no errors, \(faults.count.counted("warning"))")
  }

  /// The development schema; nil if it cannot be read and the target is a file.
  private static func development(
    _ context: Context, _ target: Environment?
  ) throws -> Schema? {
    do { return try context.environment(.development).fullSchema() } catch {
      if target == nil { return nil }
      throw error
    }
  }

  // MARK: Input

  private static func check(
    _ path: String, _ target: Schema, _ allowed: [String], _ checker: inout SchemaChecker,
    _ context: Context
  ) throws {
    if ModelFile.isModel(path) {
      let document = try ModelDocument(path)
      return checker.check(try document.completeMirror(context), in: document.path)
    }
    if path.hasSuffix(".ckdb") {
      return checker.check(try SchemaFile(path, context).schema, in: path)
    }
    if try check(fixture: path, target, allowed, &checker, context) { return }
    let file = path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    if try file.state().isDirectory { throw SystemError("read", path, number: EISDIR) }
    let type = String(FileSystem.name(of: path).prefix { $0 != "." })
    let defaultType = try? RecordType(type)
    let source = DraftSource(
      file, TextFormat.ofSuffix(path), .identity, schemas: target.types, type: defaultType)
    try source.read(preparing: ImportLayouts(defaultType: nil)) { item, batch in
      do {
        let draft = try batch.draft(of: item, source.reread)
        checker.check(draft, defaultType: defaultType?.text, in: path)
      } catch let fault as ImportFault {
        checker.note(unreadable: fault.error.message, in: path, at: fault.position)
      }
      return !Interrupt.isRaised
    }
    try CommandError.checkInterrupt()
  }

  /// Checks a fixture with zones; returns false for any other file.
  private static func check(
    fixture path: String, _ target: Schema, _ allowed: [String], _ checker: inout SchemaChecker,
    _ context: Context
  ) throws -> Bool {
    guard path != "-", path.hasSuffix(".json"), FileSystem.isRegular(path),
      try FileHandle(open: path, O_RDONLY).firstMark == UInt8(ascii: "{")
    else { return false }
    let loader = try FixtureLoader([path], allowed: allowed, context)
    guard loader.hasZones else { return false }
    let (records, faults) = loader.records(by: target)
    for record in records { checker.check(record.draft, defaultType: nil, in: path) }
    for fault in faults {
      checker.note(unreadable: fault.error.message, in: path, at: fault.position)
    }
    return true
  }

  private static func check(
    queries path: String, _ checker: inout SchemaChecker, _ context: Context
  ) throws {
    let file = path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    let lines = LineReader(file)
    while let bytes = try lines.next() {
      let line = String(decoding: bytes, as: UTF8.self)
      let words = line.drop { $0 == " " || $0 == "\t" }
      guard let first = words.first, first != "#", first != "\r" else { continue }
      let type = words.prefix { !$0.isWhitespace }
      let predicate = words[type.endIndex...].drop { $0.isWhitespace }
      let column = line[..<predicate.startIndex].unicodeScalars.count + 1
      checker.check(
        String(type), predicate.isEmpty ? "TRUEPREDICATE" : String(predicate), in: path,
        at: TextPosition(line: lines.lineNumber, column: predicate.isEmpty ? 1 : column))
    }
  }

  // MARK: Output

  private static func show(_ faults: [SchemaFault], _ context: Context) throws {
    guard context.settings.explicitFormat != nil else {
      for fault in faults {
        context.output.line("\(fault.place): \(fault.severity): \(fault.text)".visible)
        if let missing = fault.missing { context.output.line("  add: \(missing)".visible) }
      }
      return
    }
    let output = try RowOutput(
      context, noun: "finding",
      columns: [
        "code", "file", "line", "column", "recordType", "field", "message", "missing", "count",
        "severity",
      ])
    for fault in faults {
      output.row([
        .string(fault.code.rawValue), .string(fault.source),
        fault.position.map { .int(Int64($0.line)) } ?? .null,
        fault.position.map { .int(Int64($0.column)) } ?? .null, .string(fault.type),
        fault.field.map { .string($0) } ?? .null, .string(fault.sentence),
        fault.missing.map { .string($0) } ?? .null, .int(Int64(fault.count)),
        fault.isWarning ? .string(fault.severity) : .null,
      ])
    }
    output.finish()
  }
}

extension SchemaFault {
  /// `file:line:column`, or the file alone.
  var place: String { source + (position.map { ":\($0.text)" } ?? "") }

  /// The word for how bad it is.
  var severity: String { isWarning ? "warning" : "error" }

  /// The message and its remedy.
  var sentence: String { message + (remedy.map { "; \($0.hint)" } ?? "") }

  /// The sentence, and the number of further occurrences.
  var text: String { sentence + repetition }

  fileprivate var failure: JUnitReport.Failure {
    let subject = field.map { "\(type).\($0)" } ?? type
    return JUnitReport.Failure(
      kind: code.rawValue, subject: subject.isEmpty ? place : subject, file: source,
      line: position?.line, message: text, details: place + (missing.map { "\nadd: \($0)" } ?? ""))
  }
}

extension FileHandle {
  /// The first non-blank byte of the first thousand.
  fileprivate var firstMark: UInt8? {
    get throws {
      var bytes = [UInt8](repeating: 0, count: 1000)
      let count = try bytes.withUnsafeMutableBytes { try read(into: $0) }
      return bytes[..<count].first { $0 > 0x20 }
    }
  }
}
