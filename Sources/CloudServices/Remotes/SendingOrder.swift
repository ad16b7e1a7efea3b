internal import CloudModel

/// Sorts records so that targets come before the records that refer to them. Records that refer to
/// one another stay next to each other.
struct SendingOrder {
  private var saves: [PlannedSave] = []
  private var links: [Int: [RecordName]] = [:]
  private var places: [RecordName: Int] = [:]

  mutating func add(_ save: PlannedSave, links: [RecordName]) {
    places[save.name] = saves.count
    if !links.isEmpty { self.links[saves.count] = links }
    saves.append(save)
  }

  /// Depth first, without recursion: a chain of parents may be long.
  func sorted() -> [PlannedSave] {
    if links.isEmpty { return saves }
    var sorted: [PlannedSave] = []
    sorted.reserveCapacity(saves.count)
    var isDone = [Bool](repeating: false, count: saves.count)
    var isOpen = isDone
    for first in saves.indices where !isDone[first] {
      var stack = [first]
      while let place = stack.last {
        if isDone[place] {
          stack.removeLast()
          continue
        }
        let targets = isOpen[place] ? [] : (links[place] ?? []).compactMap { places[$0] }
        isOpen[place] = true
        let waiting = targets.filter { !isDone[$0] && !isOpen[$0] }
        guard waiting.isEmpty else {
          stack += waiting
          continue
        }
        isDone[place] = true
        sorted.append(saves[place])
        stack.removeLast()
      }
    }
    return sorted
  }
}
