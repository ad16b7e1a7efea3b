internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb fault …`
enum FaultNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow(
      "add", "Make operations fail with a CKError, or take longer", verb: { FaultAdd.command }),
    CommandRow("list", "List the faults", verb: { FaultList.command }),
    CommandRow("clear", "Remove faults", verb: { FaultClear.command }),
  ]
}

extension ValueKind where Value == CloudError.Code {
  /// A CKError's name or number.
  fileprivate static let code = ValueKind<CloudError.Code>(
    "CKERROR", candidates: .words(CloudError.Code.allCases.map(\.name))
  ) { (word) throws(ValueError) in
    if let code = CloudError.Code(text: word) { return code }
    let near = Suggestion.nearest(to: word, among: CloudError.Code.allCases.map(\.name))
    throw ValueError(
      "'\(word)' is not a CKError",
      hint: near.map { "did you mean \($0)?" } ?? "'ckdb help errors' lists them")
  }
}

extension ValueKind where Value == Double {
  /// A probability from 0 to 1.
  fileprivate static let probability = ValueKind<Double>("P") { (word) throws(ValueError) in
    guard let share = Double(word), (0...1).contains(share) else {
      throw ValueError("'\(word)' is not a number from 0 to 1")
    }
    return share
  }
}

extension ValueKind where Value == Double {
  /// A delay of at most an hour.
  fileprivate static let latency = ValueKind<Double>("SECONDS") { (word) throws(ValueError) in
    let span = try ValueKind<Double>.seconds.parse(word)
    guard span <= FaultRule.mostLatency else {
      throw ValueError("'\(word.visible)' is longer than an hour")
    }
    return span
  }
}

/// `ckdb fault add --operation O --code CKERROR --latency SECONDS`
enum FaultAdd {
  static let operation = Option(
    "operation", nil, ValueKind<FaultRule.Operation>.choice("OPERATION"),
    "save, delete, fetch, query, changes, zone, asset, share, accept, kvs, document, any, push")
  static let code = Option("code", nil, .code, "CKError, by name or number")
  static let latency = Option(
    "latency", nil, .latency, "Time that the answer takes longer: 2, 500ms")
  static let effect = Option(
    "effect", nil, ValueKind<FaultRule.PushEffect>.choice("EFFECT"),
    "What happens to notifications: lost, late, duplicated or reordered")
  static let type = Option("type", nil, .type, "Fail only for records of this type")
  static let name = Option("name", nil, .record, "Fail only the record of this name")
  static let every = Option(
    "every", nil, .count("N", atLeast: 1), "Fail only every Nth record of an operation")
  static let after = Flag("after", "Make the change first, so that only the answer is lost")
  static let rate = Option(
    "rate", nil, .rate, "Fail only commands above this rate, such as 40/1s")
  static let retryAfter = Option(
    "retry-after", nil, .seconds, "Retry delay that the error reports")
  static let times = Option(
    "times", nil, .count("N", atLeast: 1), default: "until cleared",
    "Number of commands that fail")
  static let probability = Option(
    "probability", nil, .probability, default: "1", "Probability that a command fails")

  static var command: Command<Context> {
    Command(
      options: [
        AnyOption(operation), AnyOption(code), AnyOption(latency), AnyOption(effect),
        AnyOption(type), AnyOption(name), AnyOption(every), AnyOption(after), AnyOption(rate),
        AnyOption(retryAfter), AnyOption(times), AnyOption(probability),
      ],
      discussion: """
        The next operations of this kind fail with the CKError, its exit code and its JSON before \
        they change anything, so that you can test how an app reacts. --type and --zone limit the \
        fault to records of a type and to a zone; a command counts once. With --probability the \
        same --seed gives the same failures. Imports count as saves; fixture loads, assertions and \
        comparisons never fail this way.

        With --latency the answer, or the error of --code, comes later. The work itself is done at \
        once: nobody else waits for it.

        With --after the change is made before the command fails, as when the connection breaks \
        before the answer arrives. --name and --every fail single records of an operation, as a \
        partial failure, and the others as CloudKit does. With --rate 40/1s the first 40 commands \
        pass, and then one every 25 ms; the error says how long to wait.

        kvs and document faults strike what needs iCloud: syncing keys or documents, and \
        downloading a document. For missingEntitlement a sync of keys returns false.

        Notifications of the next commands are lost, delivered twice, or held until the account's \
        next notification: late comes before it, reordered after it.
        """,
      examples: [
        .init(
          "Make two saves fail with a busy zone",
          "ckdb fault add --operation save --code zoneBusy --retry-after 3 --times 2"),
        .init(
          "Lose the answer to the next save",
          "ckdb fault add --operation save --code serverResponseLost --after --times 1"),
        .init(
          "Make queries half a second slower",
          "ckdb fault add --operation query --latency 500ms"),
        .init(
          "Limit the rate of all operations",
          "ckdb fault add --operation any --code requestRateLimited --rate 40/1s"),
        .init(
          "Make a tenth of all operations fail",
          "ckdb fault add --operation any --code networkFailure --probability 0.1 --seed 7"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    var fault = try rule(arguments)
    let wider = ["container", "environment", "database", "user"].first {
      arguments.optionNames.contains($0)
    }
    if let wider {
      throw CommandError("--\(wider) cannot be used: a fault applies to the whole store", .usage)
    }
    fault.type = arguments[type]
    fault.zone = arguments[GlobalOptions.zone]
    if arguments.optionNames.contains(where: ["name", "every"].contains) {
      guard fault.operation.hasItems else {
        throw CommandError(
          "--name and --every need --operation save, delete, fetch or any", .usage)
      }
    }
    if [.kvs, .document].contains(fault.operation),
      arguments[type] != nil || arguments[GlobalOptions.zone] != nil
    {
      throw CommandError("keys and documents have neither --type nor --zone", .usage)
    }
    fault.name = arguments[name]
    fault.every = arguments[every]
    fault.isAfter = arguments[after]
    fault.rate = arguments[rate]
    fault.retryAfter = arguments[retryAfter]
    fault.times = arguments[times]
    fault.probability = arguments[probability]
    let store = try context.store()
    let added = try store.add(fault, for: context.request())
    let what =
      added.effect.map { "notifications are \($0.rawValue)" }
      ?? "\(added.operation.rawValue) \(reaction(of: added))"
    context.report("added fault \(added.id): \(what)")
  }

  private static func reaction(of fault: FaultRule) -> String {
    let later = fault.latency.map { "\(Int64($0 * 1000)) ms later" }
    guard let code = fault.code else { return "answers \(later ?? "at once")" }
    return "fails with \(code.name)" + (later.map { ", \($0)" } ?? "")
  }

  private static func rule(_ arguments: Arguments) throws -> FaultRule {
    if arguments[operation] == .push {
      guard let effect = arguments[effect] else {
        throw CommandError(
          "--operation push needs --effect", .usage,
          hint: "ckdb fault add --operation push --effect lost")
      }
      let others = ["code", "latency", "retry-after", "name", "every", "after", "rate"]
      if let other = others.first(where: arguments.optionNames.contains) {
        throw CommandError("--\(other) cannot be used with --operation push", .usage)
      }
      return FaultRule(effect)
    }
    let (code, latency) = (arguments[code], arguments[latency])
    guard let operation = arguments[operation], code != nil || latency != nil,
      arguments[effect] == nil
    else {
      throw CommandError(
        "'fault add' needs --operation, and --code or --latency", .usage,
        hint: "ckdb fault add --operation save --code zoneBusy")
    }
    if code == nil,
      let option = ["after", "retry-after"].first(where: arguments.optionNames.contains)
    {
      throw CommandError("--\(option) needs --code", .usage)
    }
    var fault = FaultRule(code, of: operation)
    fault.latency = latency
    return fault
  }
}

/// `ckdb fault list`
enum FaultList {
  static var command: Command<Context> {
    Command(examples: [.init("List the faults", "ckdb fault list")]) { _, context in
      let rows = try RowOutput(
        context, noun: "fault",
        columns: [
          "id", "operation", "code", "number", "recordType", "zone", "retryAfter", "times",
          "probability", "effect", "name", "every", "after", "rate", "latency",
        ])
      for fault in try context.store().faults() {
        rows.row([
          .int(Int64(fault.id)), .string(fault.operation.rawValue),
          fault.code.map { .string($0.name) } ?? .null,
          fault.code.map { .int(Int64($0.rawValue)) } ?? .null,
          fault.type.map { .string($0.text) } ?? .null,
          fault.zone.map { .string($0.text) } ?? .null,
          fault.retryAfter.map { .double($0) } ?? .null,
          fault.times.map { .int(Int64($0)) } ?? .null,
          fault.probability.map { .double($0) } ?? .null,
          fault.effect.map { .string($0.rawValue) } ?? .null,
          fault.name.map { .string($0.text) } ?? .null,
          fault.every.map { .int(Int64($0)) } ?? .null,
          fault.isAfter ? .bool(true) : .null, fault.rate.map { .string($0.text) } ?? .null,
          fault.latency.map { .double($0) } ?? .null,
        ])
      }
      rows.finish()
    }
  }
}

/// `ckdb fault clear [ID…]`
enum FaultClear {
  static let ids = Operand(
    "ID", .count("ID", atLeast: 1), .any, "Numbers of faults (default: all)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ids)],
      examples: [.init("Remove all faults", "ckdb fault clear")]
    ) { arguments, context in
      let count = try context.store().clearFaults(arguments.all(ids))
      context.report("cleared \(count.counted("fault"))")
    }
  }
}
