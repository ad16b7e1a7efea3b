internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb kvs sync`
enum KeyValueSync {
  private static let all = Flag("all-devices", "Sync all devices of the account")
  private static let sameAll = Flag("all", "Same as --all-devices")
  private static let localOnly = Flag(
    "local-only", "Exchange nothing, as synchronize() does without a network")
  private static let rate = Option(
    "rate", nil, .rate, default: "that of 'ckdb kvs rate'", "How often a device may sync")

  static var command: Command<Context> {
    Command(
      options: [
        AnyOption(all), AnyOption(sameAll), AnyOption(localOnly), AnyOption(rate),
        AnyOption(KeyValueNoun.storeID),
      ],
      discussion: """
        Sends the device's writes to iCloud and receives those of other devices. Of two writes of \
        one key, the later one by the devices' clocks stays ('ckdb kvs policy'); a device whose \
        keys change gets an event ('ckdb kvs events').

        Prints one JSON object, with --all-devices one per device. If the device is offline, no \
        account is signed in, or the last syncs were too recent ('ckdb kvs rate'), nothing is \
        transferred and the exit code is 1; throttled is the number of seconds to wait.
        """,
      examples: [
        .init("Sync the phone", "ckdb kvs sync --device phone"),
        .init("Bring all devices up to date", "ckdb kvs sync --all-devices"),
      ]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      let isForAll = arguments[all] || arguments[sameAll]
      if arguments[localOnly], isForAll {
        throw CommandError("--local-only cannot be used with --all-devices", .usage)
      }
      let results =
        try isForAll
        ? store.synchronizeAll(rate: arguments[rate])
        : [(store.request.device, result(store, arguments))]
      for (device, result) in results { write(result, of: isForAll ? device : nil, context) }
      let rejected = results.reduce(0) { $0 + $1.result.rejected }
      if rejected > 0 {
        context.warn(
          "\(rejected.counted("write")) exceeded the quota; 'ckdb kvs events' lists the keys")
      }
      if !results.allSatisfy(\.result.isSynchronized) { throw QuietExit(code: .no) }
    }
  }

  private static func result(
    _ store: KeyValueStore, _ arguments: Arguments
  ) throws -> KeyValueSynchronization {
    guard arguments[localOnly] else { return try store.synchronize(rate: arguments[rate]) }
    var result = KeyValueSynchronization()
    result.isSynchronized = try store.isSignedIn()
    return result
  }

  private static func write(
    _ result: KeyValueSynchronization, of device: Device?, _ context: Context
  ) {
    var members: [JSONMember] = []
    if let device { members.append(JSONMember("device", .string(device.name))) }
    let seconds = result.throttledFor.map { milliseconds -> JSONValue in
      milliseconds % 1000 == 0
        ? .int(milliseconds / 1000) : .double(Double(milliseconds) / 1000)
    }
    members += [
      JSONMember("synchronized", .bool(result.isSynchronized)),
      JSONMember("sent", .int(Int64(result.sent))),
      JSONMember("received", .int(Int64(result.received))),
      JSONMember("conflicts", .int(Int64(result.conflicts))),
      JSONMember("throttled", seconds ?? .null),
    ]
    context.output.buffer.append(json: .object(members))
    context.output.line("")
  }
}

/// `ckdb kvs limits`, `ckdb kvs policy` and `ckdb kvs rate`
enum KeyValueBehavior {
  private static let profile = Operand(
    "LIMITS", ValueKind<KeyValueLimits>.choice("LIMITS"), .optional, "seed, current or ios5")

  static var limits: Command<Context> {
    Command(
      operands: [AnyOperand(profile)], options: [AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Shows the limits, or chooses others: the sources disagree. seed, the default, allows keys \
        of 64 bytes, 1 MiB of values and 1024 keys; current allows keys of 128 UTF-16 units, and \
        ios5 64 KiB of values.
        """,
      examples: [.init("Test with today's limits", "ckdb kvs limits current")]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      guard let limits = arguments[profile] else {
        return try show(store.behavior().limits, context)
      }
      try store.change { $0.limits = limits }
      context.report("limits are \(limits.rawValue)")
    }
  }

  private static func show(_ limits: KeyValueLimits, _ context: Context) throws {
    let output = try RowOutput(
      context, noun: "setting",
      columns: ["limits", "maxKey", "keyUnit", "maxValueBytes", "maxBytes", "maxKeys"])
    output.row([
      .string(limits.rawValue), .int(Int64(limits.keyLength)), .string(limits.keyUnit),
      .int(Int64(limits.valueBytes)), .int(Int64(limits.bytes)), .int(Int64(limits.keys)),
    ])
    output.finish()
  }

  /// Prints a setting: the bare value unless a format is named.
  private static func show(_ name: String, _ value: String, _ context: Context) throws {
    guard try context.settings.chosenFormat() != nil else { return context.output.line(value) }
    let output = try RowOutput(context, noun: "setting", columns: [name])
    output.row([.string(value)])
    output.finish()
  }

  private static let chosenPolicy = Operand(
    "POLICY", ValueKind<KeyValuePolicy>.choice("POLICY"), .optional,
    "timestamp or server-first")

  static var policy: Command<Context> {
    Command(
      operands: [AnyOperand(chosenPolicy)], options: [AnyOption(KeyValueNoun.storeID)],
      discussion: """
        With timestamp, the later write of a key stays; with server-first, the one in iCloud: a \
        device that syncs later receives it even if its own write is newer. Apple's documentation \
        describes both.
        """,
      examples: [.init("Let the first sync win", "ckdb kvs policy server-first")]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      guard let policy = arguments[chosenPolicy] else {
        return try show("policy", store.behavior().policy.rawValue, context)
      }
      try store.change { $0.policy = policy }
      context.report("the policy is \(policy.rawValue)")
    }
  }

  private static let chosenRate = Operand(
    "RATE",
    ValueKind<Rate?>("RATE", candidates: .words(["15/90s", "none"])) {
      (word) throws(ValueError) in
      word == "none" ? nil : try ValueKind<Rate>.rate.parse(word)
    }, .optional, "Syncs per period, such as 15/90s, or none")

  static var rate: Command<Context> {
    Command(
      operands: [AnyOperand(chosenRate)], options: [AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Limits how often each device may sync: with 15/90s, 15 times in a row, and then once every \
        6 seconds. A sync that comes too soon changes nothing.
        """,
      examples: [.init("Limit the syncs", "ckdb kvs rate 15/90s")]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      guard let rate = arguments[chosenRate] else {
        return try show("rate", store.behavior().rate?.text ?? "none", context)
      }
      try store.change { $0.rate = rate }
      context.report("the rate is \(rate?.text ?? "none")")
    }
  }
}

extension ValueKind where Value == Rate {
  /// A number of syncs per period: `15/90s`.
  static let rate = ValueKind<Rate>("RATE") { (word) throws(ValueError) in
    guard let rate = Rate(word) else {
      throw ValueError("'\(word.visible)' is not a rate", hint: "for example 15/90s")
    }
    return rate
  }
}
