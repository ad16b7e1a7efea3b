/// Runs a regular expression over texts by backtracking, in a bounded number of steps.
final class PatternMatcher {
  private let program: PatternProgram
  private var text: [UInt32] = []
  /// The end of the grapheme cluster at each place; empty until needed.
  private var clusterEnds: [Int] = []
  private var slots: [Int] = []
  private var trail: [Choice] = []
  private var stepsLeft = 0

  /// A backtracking point: another alternative, or the previous value of a slot.
  private struct Choice {
    /// The instruction to continue at; if negative, the slot to restore, -1 for the first.
    var instruction: Int
    /// The place to continue at, or the slot's value.
    var place: Int
    /// For a run: the last place that it may back off to.
    var last: Int
  }

  /// Enough for well-intended patterns: a text is scanned many times.
  private static let steps = 10_000_000
  private static let stepsPerScalar = 100
  /// The maximum number of backtracking points.
  private static let mostChoices = 4_000_000

  init(_ program: PatternProgram) { self.program = program }

  /// Whether the whole text matches. Throws if that takes too many steps.
  func matches(_ string: String) throws(RegularExpression.Fault) -> Bool {
    load(string)
    stepsLeft = Self.steps + Self.stepsPerScalar * text.count
    slots = Array(repeating: -1, count: program.slotCount)
    trail.removeAll(keepingCapacity: true)
    return try run(from: 0, at: 0, wanting: text.count) != nil
  }

  private func load(_ string: String) {
    text.removeAll(keepingCapacity: true)
    clusterEnds.removeAll(keepingCapacity: true)
    let isASCII = string.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return false }
      text.append(contentsOf: bytes.lazy.map { UInt32($0) })
      return true
    }
    if isASCII != true { text.append(contentsOf: string.unicodeScalars.lazy.map(\.value)) }
  }

  /// Runs from an instruction to the next `end`; returns the place there, nil for no match.
  /// `wanting` is the required place.
  private func run(
    from start: Int, at first: Int, wanting end: Int? = nil
  ) throws(RegularExpression.Fault) -> Int? {
    let bottom = trail.count
    var instruction = start
    var place = first
    while true {
      stepsLeft -= 1
      if stepsLeft < 0 || trail.count > Self.mostChoices { throw .tooManySteps }
      let isGoingOn: Bool
      switch program.instructions[instruction] {
      case .scalar(let value):
        isGoingOn = place < text.count && text[place] == value
        place += 1
      case .set(let set):
        isGoingOn = place < text.count && program.sets[set].contains(text[place])
        place += 1
      case .cluster:
        isGoingOn = place < text.count
        if isGoingOn { place = clusterEnd(from: place) }
      case .run(let set, let least, let most, let isPossessive):
        let reached = reach(set, from: place, most)
        stepsLeft -= reached - place
        isGoingOn = reached - place >= least
        if isGoingOn, !isPossessive, reached > place + least {
          trail.append(
            Choice(instruction: instruction + 1, place: reached - 1, last: place + least))
        }
        place = reached
      case .split(let one, let other):
        trail.append(Choice(instruction: other, place: place, last: place))
        instruction = one
        continue
      case .jump(let target):
        instruction = target
        continue
      case .save(let slot):
        set(slot, place)
        isGoingOn = true
      case .progress(let slot): isGoingOn = slots[slot] != place
      case .reference(let number, let ignoresCase):
        let reached = repeated(number, at: place, ignoresCase)
        stepsLeft -= max(0, slots[2 * number - 1] - slots[2 * number - 2])
        isGoingOn = reached != nil
        place = reached ?? place
      case .assertion(let assertion): isGoingOn = holds(assertion, at: place)
      case .look(let end, let isAhead, let isNegative):
        let isFound = try look(from: instruction + 1, at: place, isAhead)
        isGoingOn = isFound != isNegative
        instruction = end
      case .atomic(let end):
        let reached = try inside(instruction + 1, at: place)
        isGoingOn = reached != nil
        place = reached ?? place
        instruction = end
      case .end:
        if end == nil || end == place { return place }
        isGoingOn = false
      }
      if isGoingOn {
        instruction += 1
      } else {
        guard let choice = goBack(to: bottom) else { return nil }
        (instruction, place) = (choice.instruction, choice.place)
      }
    }
  }

  /// The place after the longest run of a set.
  private func reach(_ number: Int, from place: Int, _ most: Int) -> Int {
    let set = program.sets[number]
    let end = most < text.count - place ? place + most : text.count
    var reached = place
    while reached < end, set.contains(text[reached]) { reached += 1 }
    return reached
  }

  private func clusterEnd(from place: Int) -> Int {
    if clusterEnds.isEmpty {
      let scalars = text.lazy.compactMap(Unicode.Scalar.init)
      for character in String(String.UnicodeScalarView(scalars)) {
        let count = character.unicodeScalars.count
        let end = clusterEnds.count + count
        clusterEnds.append(contentsOf: repeatElement(end, count: count))
      }
    }
    return clusterEnds[place]
  }

  private func set(_ slot: Int, _ place: Int) {
    trail.append(Choice(instruction: -1 - slot, place: slots[slot], last: 0))
    slots[slot] = place
  }

  /// The last alternative above a height of the trail; nil for none.
  private func goBack(to bottom: Int) -> Choice? {
    while trail.count > bottom, let choice = trail.popLast() {
      if choice.instruction < 0 {
        slots[-1 - choice.instruction] = choice.place
        continue
      }
      if choice.place > choice.last {
        trail.append(
          Choice(instruction: choice.instruction, place: choice.place - 1, last: choice.last))
      }
      return choice
    }
    return nil
  }

  // MARK: Parts

  /// Runs a part and discards its alternatives once it has matched; slots can still be restored.
  private func inside(_ start: Int, at place: Int) throws(RegularExpression.Fault) -> Int? {
    let bottom = trail.count
    let reached = try run(from: start, at: place)
    forgetWays(above: bottom)
    return reached
  }

  /// Removes all but slot restores from the trail.
  private func forgetWays(above bottom: Int) {
    var kept = bottom
    for index in bottom..<trail.count where trail[index].instruction < 0 {
      trail[kept] = trail[index]
      kept += 1
    }
    trail.removeLast(trail.count - kept)
  }

  private func look(
    from start: Int, at place: Int, _ isAhead: Bool
  ) throws(RegularExpression.Fault) -> Bool {
    let bottom = trail.count
    if isAhead { return try inside(start, at: place) != nil }
    for first in stride(from: place, through: 0, by: -1) {
      if try run(from: start, at: first, wanting: place) != nil {
        forgetWays(above: bottom)
        return true
      }
    }
    return false
  }

  /// The place after a repetition of a group's text; nil if it does not follow.
  private func repeated(_ number: Int, at place: Int, _ ignoresCase: Bool) -> Int? {
    let (start, end) = (slots[2 * number - 2], slots[2 * number - 1])
    guard start >= 0, end >= start, end - start <= text.count - place else { return nil }
    for offset in 0..<end - start {
      let (a, b) = (text[start + offset], text[place + offset])
      guard a == b || ignoresCase && Self.isSameLetter(a, b) else { return nil }
    }
    return place + end - start
  }

  private static func isSameLetter(_ a: UInt32, _ b: UInt32) -> Bool {
    guard let a = Unicode.Scalar(a), let b = Unicode.Scalar(b) else { return false }
    return a.properties.lowercaseMapping == b.properties.lowercaseMapping
  }

  private func holds(_ assertion: PatternNode.Assertion, at place: Int) -> Bool {
    switch assertion {
    case .textStart: place == 0
    case .textEnd: place == text.count
    case .lastLineEnd: isLastLineEnd(place)
    case .lineStart: place == 0 || place < text.count && isLineEnd(place - 1)
    case .lineEnd: place == text.count || isLineEnd(place) && !isInsidePair(place)
    case .wordBoundary: isWord(place - 1) != isWord(place)
    case .noWordBoundary: isWord(place - 1) == isWord(place)
    }
  }

  private func isLastLineEnd(_ place: Int) -> Bool {
    switch text.count - place {
    case 0: true
    case 1: isLineEnd(place) && !isInsidePair(place)
    case 2: text[place] == 0x0D && text[place + 1] == 0x0A
    default: false
    }
  }

  private func isLineEnd(_ place: Int) -> Bool { ScalarSet.lineEnds.contains(text[place]) }

  /// Whether the place is inside a CR LF pair.
  private func isInsidePair(_ place: Int) -> Bool {
    place > 0 && text[place - 1] == 0x0D && text[place] == 0x0A
  }

  private func isWord(_ place: Int) -> Bool {
    text.indices.contains(place) && ScalarSet.words.contains(text[place])
  }
}

extension RegularExpression.Fault {
  fileprivate static let tooManySteps = RegularExpression.Fault(
    message: "the regular expression takes too long",
    hint: "it can match the same text in many ways: avoid adjacent repeats")
}
