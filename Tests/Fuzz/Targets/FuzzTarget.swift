internal import Basics

/// A function of bytes from outside. Each target checks a law, besides that nothing crashes or
/// hangs; a broken law ends the process.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Predicate text: the printed text parses to the same predicate.
  case predicate
  /// Queries of a few records: SQL and the evaluator agree.
  case query
  /// JSON: the written text reads back as the same value.
  case json
  /// Records as JSON, one per line, as `import` reads them.
  case records
  /// Answers of other servers: every object in their lists is a record or a failure.
  case page
  /// Comma-separated values, as `import` reads them.
  case csv
  /// Property lists, as `import` reads them.
  case plist
  /// Lines of the prompt and of batches.
  case words
  /// Cursors of queries: a valid one is written the same again.
  case cursor
  /// Change tokens: a valid one is written the same again.
  case token
  /// Schema files: the printed text parses to the same schema.
  case schema
  /// Core Data models: the schema of a model is one that its text gives again.
  case model
  /// Fixtures: walking gives the same as parsing, and faults have places.
  case fixture
  /// Subscriptions as JSON: a valid one is written the same again.
  case subscription
  /// Payloads of notifications: they fit into 4,096 bytes and are JSON.
  case payload
  /// Keys with their values: a valid one is written the same again.
  case values
  /// Paths of documents: none leads out of the container.
  case path
  /// Damage of a database: the doctor finds it, or nothing has changed.
  case store

  /// Gives bytes to the target.
  public func run(_ bytes: UnsafeRawBufferPointer) {
    let input = Array(bytes)
    switch self {
    case .predicate: TextTargets.predicate(input)
    case .query: QueryTarget.shared.run(input)
    case .json: TextTargets.json(input)
    case .records: RecordTargets.records(input)
    case .page: RecordTargets.page(input)
    case .csv: RecordTargets.csv(input)
    case .plist: RecordTargets.propertyList(input)
    case .words: TextTargets.words(input)
    case .cursor: TextTargets.cursor(input)
    case .token: TextTargets.token(input)
    case .schema: TextTargets.schema(input)
    case .model: TextTargets.model(input)
    case .fixture: FixtureTarget.run(input)
    case .subscription: SubscriptionTargets.subscription(input)
    case .payload: SubscriptionTargets.payload(input)
    case .values: DeviceTargets.values(input)
    case .path: DeviceTargets.path(input)
    case .store: StoreTarget.shared.run(input)
    }
  }

  /// Ends the process if a law is broken.
  static func law(_ isKept: Bool, _ text: @autoclosure () -> String) {
    precondition(isKept, text())
  }
}

/// The saved inputs of a target, one JSON string per line; bytes that are not UTF-8 are in Base64
/// after `base64:`.
public struct FuzzCorpus {
  private let path: String

  /// The corpus of a target.
  public init(_ target: FuzzTarget) {
    let folder = FileSystem.parent(of: FileSystem.parent(of: #filePath))
    path = "\(folder)/Corpus/\(target.rawValue).txt"
  }

  /// The inputs. Throws `SystemError`, and `JSONError` for a line that is not a JSON string.
  public func inputs() throws -> [[UInt8]] {
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    return try text.split(separator: "\n").map { line in
      let text = try JSONParser.parse(String(line)).string ?? ""
      guard text.hasPrefix(Self.mark) else { return Array(text.utf8) }
      return Base64.decode(String(text.dropFirst(Self.mark.count))) ?? []
    }
  }

  /// Replaces the inputs. Throws `SystemError`.
  public func save(_ inputs: [[UInt8]]) throws {
    var bytes: [UInt8] = []
    for input in inputs {
      let text = String(validating: input, as: UTF8.self)
      let isPlain = text.map { !$0.hasPrefix(Self.mark) } ?? false
      bytes.append(
        jsonString: isPlain ? text ?? "" : Self.mark + Base64.encode(input))
      bytes.append(0x0A)
    }
    try FileSystem.replace(path, with: bytes)
  }

  private static let mark = "base64:"
}
