/// A record that waits for others: its own name, and the names that are missing.
struct WaitingItem<Name: Hashable> {
  var own: Name?
  var wanted: [Name]
}

extension Array {
  /// The places of the items that can never get their missing names, even from one another.
  func hopeless<Name>() -> Set<Int> where Element == WaitingItem<Name> {
    let own = Set(compactMap(\.own))
    var waiting: [Name: [Int]] = [:]
    var open: [Int] = []
    for index in indices {
      for name in self[index].wanted {
        waiting[name, default: []].append(index)
        if !own.contains(name) { open.append(index) }
      }
    }
    var hopeless: Set<Int> = []
    while let index = open.popLast() {
      guard hopeless.insert(index).inserted, let name = self[index].own else { continue }
      open += waiting[name] ?? []
    }
    return hopeless
  }
}
