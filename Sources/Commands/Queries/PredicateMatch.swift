internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage
internal import WireFormat

/// `ckdb predicate match PREDICATE [FILE|-]`
enum PredicateMatch {
  static let file = Operand(
    "FILE", .file, .optional, "Records (default: JSON Lines on standard input)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(PredicateParse.predicate), AnyOperand(file)],
      options: PredicateOptions.all,
      discussion: """
        Filters records like grep: prints the matching ones as JSON Lines, unchanged; exit code 0 \
        if there are some, 1 if none. Reads all formats of 'ckdb import', chosen by the file's \
        suffix. A record has the form of 'ckdb export', or is an object of fields. Needs no store \
        or schema: each value keeps its own type, a cell of CSV or TSV is a STRING, and a missing \
        field is nil.
        """,
      examples: [
        .init(
          "Filter an export", "ckdb predicate match \"year BETWEEN {1800, 1810}\" works.jsonl")
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let text = arguments.required(PredicateParse.predicate)
    let predicate = try context.predicate(text, arguments)
    for path in predicate.pathsToOtherRecords {
      context.warn("\(path) leads to another record, which is not available here: it is nil")
    }
    let path = arguments[file] ?? "-"
    let input = path == "-" ? context.surroundings.input : try FileHandle(open: path, 0)
    let records = RecordFileReader(input, TextFormat(suffixOf: path) ?? .jsonl)
    let request = try context.request()
    var filter = Filter(
      predicate: predicate, text: text,
      givens: .init(now: request.now, seed: request.seed(at: request.now)))
    var reader = RecordReader()
    var hasMatched = false
    while let item = try records.next(), !context.output.isBroken {
      let draft: RecordDraft
      do throws(RecordReadingError) {
        draft = try reader.draft(of: item)
      } catch {
        throw CommandError("\(path):\(error.position.text): \(error.message)", .data)
      }
      let record = record(of: draft)
      let isMatch = try filter.matches(record, "\(path):\(draft.position.line)")
      try CommandError.checkInterrupt()
      guard isMatch else { continue }
      hasMatched = true
      write(item, draft, to: context.output)
    }
    if !hasMatched { throw QuietExit(code: .no) }
  }

  /// Writes a record on one line: JSON as it was written, other formats as JSON.
  private static func write(
    _ item: RecordFileReader.Item, _ draft: RecordDraft, to output: ByteOutput
  ) {
    switch item {
    case .json(let text, _): output.buffer.append(oneLine: text)
    case .row, .record, .fault: output.buffer.append(draft)
    }
    output.buffer.append(0x0A)
    output.spill()
  }

  private static func record(of draft: RecordDraft) -> Record {
    var record = Record(
      name: RecordName(stored: draft.name ?? ""), type: RecordType(stored: draft.type ?? ""),
      zone: (try? draft.zoneID(in: .private)) ?? .defaultZone,
      parent: draft.parent.map { RecordName(stored: $0) })
    for field in draft.fields { record.fields[field.name] = field.value }
    return record
  }
}

/// Tests records against a predicate, one by one.
private struct Filter {
  let predicate: Predicate
  let text: String
  let givens: PredicateBinder.Givens
  /// The types and names of the last record's fields, and the predicate bound to these.
  private var last: (types: [FieldType?], names: [FieldName], evaluator: PredicateEvaluator)?

  init(predicate: Predicate, text: String, givens: PredicateBinder.Givens) {
    self.predicate = predicate
    self.text = text
    self.givens = givens
  }

  /// Whether a record matches. A comparison that does not fit the types of the record's values is
  /// an error, as with a schema.
  mutating func matches(_ record: Record, _ place: String) throws -> Bool {
    do {
      return try evaluator(for: record).matches(record)
    } catch let error as PredicateError {
      var failure = CommandError(error, in: text)
      failure.text = "\(place): \(failure.text)"
      throw failure
    }
  }

  private mutating func evaluator(for record: Record) throws -> PredicateEvaluator {
    let types = record.fields.entries.map(\.value.type)
    let names = record.fields.entries.map(\.name)
    if let last, last.types == types, last.names == names { return last.evaluator }
    let evaluator = PredicateEvaluator(
      try PredicateBinder.bind(predicate, toValuesOf: record, givens),
      checkInterrupt: { try CommandError.checkInterrupt() })
    last = (types, names, evaluator)
    return evaluator
  }
}

extension Predicate {
  /// The key paths that follow references, in the order of the text, each once.
  fileprivate var pathsToOtherRecords: [String] {
    var paths: [String] = []
    visit { expression in
      guard case .path(let base, let key, _) = expression, SystemKey(key) != .recordName,
        !paths.contains(where: { $0.hasPrefix("\(base.text).\(key)") })
      else { return }
      switch base {
      case .key, .path: paths.append(expression.text)
      case .value, .null, .untyped, .record, .variable, .assignment, .aggregate, .distance,
        .function, .subquery, .conditional:
        break
      }
    }
    return paths
  }
}
