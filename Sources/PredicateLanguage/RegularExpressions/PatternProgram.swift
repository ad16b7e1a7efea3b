/// A regular expression compiled to instructions for `PatternMatcher`.
struct PatternProgram {
  private(set) var instructions: [Instruction] = []
  private(set) var sets: [ScalarSet] = []
  /// How many places of the text are saved: two per group, one per loop.
  private(set) var slotCount = 0
  /// How many parts were compiled.
  private var partCount = 0

  /// An action at a place of the text, and where to continue.
  enum Instruction {
    case scalar(UInt32)
    case set(Int)
    case cluster
    /// As many characters of a set as there are, and fewer if what follows does not match.
    case run(Int, least: Int, most: Int, isPossessive: Bool)
    /// Continues at the first; at the second if that fails.
    case split(Int, Int)
    case jump(Int)
    /// Saves the place.
    case save(Int)
    /// Fails if the place is still the saved one, to end empty loops.
    case progress(Int)
    case reference(Int, ignoresCase: Bool)
    case assertion(PatternNode.Assertion)
    /// Looks for the part up to an `end`; then continues at the place, after the `end`.
    case look(end: Int, isAhead: Bool, isNegative: Bool)
    /// Matches the part up to an `end` without backtracking into it.
    case atomic(end: Int)
    case end
  }

  private static let most = 100_000

  init(_ node: PatternNode) throws(RegularExpression.Fault) {
    slotCount = 2 * node.captureCount
    try append(node)
    try emit(.end)
  }

  private mutating func emit(_ instruction: Instruction) throws(RegularExpression.Fault) {
    guard instructions.count < Self.most else { throw .tooLarge }
    instructions.append(instruction)
  }

  private mutating func append(_ node: PatternNode) throws(RegularExpression.Fault) {
    // Parts without instructions take time, too.
    partCount += 1
    guard partCount < Self.most else { throw .tooLarge }
    switch node {
    case .scalar(let value): try emit(.scalar(value))
    case .set(let set): try emit(.set(number(of: set)))
    case .cluster: try emit(.cluster)
    case .sequence(let parts): for part in parts { try append(part) }
    case .choice(let parts): try appendChoice(parts)
    case .capture(let part, let number):
      try emit(.save(2 * number - 2))
      try append(part)
      try emit(.save(2 * number - 1))
    case .reference(let number, let ignoresCase):
      try emit(.reference(number, ignoresCase: ignoresCase))
    case .assertion(let assertion): try emit(.assertion(assertion))
    case .atomic(let part): try appendInside(part) { .atomic(end: $0) }
    case .look(let part, let isAhead, let isNegative):
      try appendInside(part) { .look(end: $0, isAhead: isAhead, isNegative: isNegative) }
    case .repetition(let part, let times): try appendRepetition(part, times)
    }
  }

  private mutating func number(of set: ScalarSet) -> Int {
    sets.append(set)
    return sets.count - 1
  }

  private mutating func appendInside(
    _ part: PatternNode, _ make: (Int) -> Instruction
  ) throws(RegularExpression.Fault) {
    let start = instructions.count
    try emit(.end)
    try append(part)
    try emit(.end)
    instructions[start] = make(instructions.count - 1)
  }

  private mutating func appendChoice(
    _ parts: [PatternNode]
  ) throws(RegularExpression.Fault) {
    var jumps: [Int] = []
    for part in parts.dropLast() {
      let split = instructions.count
      try emit(.end)
      try append(part)
      jumps.append(instructions.count)
      try emit(.end)
      instructions[split] = .split(split + 1, instructions.count)
    }
    if let last = parts.last { try append(last) }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  private mutating func appendRepetition(
    _ part: PatternNode, _ times: PatternNode.Repetition
  ) throws(RegularExpression.Fault) {
    if times.kind != .lazy, let set = part.singleSet {
      return try emit(
        .run(
          number(of: set), least: times.least, most: times.most ?? .max,
          isPossessive: times.kind == .possessive))
    }
    if times.kind == .possessive {
      var greedy = times
      greedy.kind = .greedy
      return try append(.atomic(.repetition(part, greedy)))
    }
    for _ in 0..<times.least { try append(part) }
    guard let most = times.most else { return try appendLoop(part, times.kind) }
    var splits: [Int] = []
    for _ in times.least..<max(most, times.least) {
      splits.append(instructions.count)
      try emit(.end)
      try append(part)
    }
    for split in splits {
      instructions[split] = Self.split(split + 1, instructions.count, times.kind)
    }
  }

  private mutating func appendLoop(
    _ part: PatternNode, _ kind: PatternNode.Repetition.Kind
  ) throws(RegularExpression.Fault) {
    let slot = slotCount
    let start = instructions.count
    slotCount += 1
    try emit(.end)
    try emit(.save(slot))
    try append(part)
    try emit(.progress(slot))
    try emit(.jump(start))
    instructions[start] = Self.split(start + 1, instructions.count, kind)
  }

  private static func split(
    _ body: Int, _ after: Int, _ kind: PatternNode.Repetition.Kind
  ) -> Instruction {
    kind == .lazy ? .split(after, body) : .split(body, after)
  }
}

extension RegularExpression.Fault {
  fileprivate static let tooLarge = RegularExpression.Fault(
    message: "the regular expression is too large once its repeats are written out")
}

extension PatternNode {
  /// The number of its last group.
  fileprivate var captureCount: Int {
    switch self {
    case .scalar, .set, .cluster, .reference, .assertion: 0
    case .sequence(let parts), .choice(let parts): parts.map(\.captureCount).max() ?? 0
    case .capture(let part, let number): max(number, part.captureCount)
    case .atomic(let part), .look(let part, _, _), .repetition(let part, _): part.captureCount
    }
  }
}
