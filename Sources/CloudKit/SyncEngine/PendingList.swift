/// A change that waits to be sent; of each item only the last change counts.
protocol PendingChange: Hashable, Sendable {
  associatedtype Item: Hashable & Sendable
  /// What changes.
  var item: Item { get }
}

extension CKSyncEngine.PendingRecordZoneChange: PendingChange {
  var item: CKRecord.ID { recordID }
}

extension CKSyncEngine.PendingDatabaseChange: PendingChange {
  var item: CKRecordZone.ID { zoneID }
}

/// Changes in the order in which the app added them, one for each item.
struct PendingList<Change: PendingChange>: Sendable {
  /// The changes; nil where one was removed.
  private var entries: [Entry?] = []
  private var places: [Change.Item: Int] = [:]
  /// Counts what the app added.
  private(set) var mark = 0

  private struct Entry: Sendable {
    let change: Change
    /// The mark of the last time when the app added it.
    var mark: Int
  }

  init() {}

  /// The changes in their order.
  var changes: [Change] { entries.compactMap { $0?.change } }

  var isEmpty: Bool { places.isEmpty }

  /// Adds a change. It replaces another of the same item; one that is there already stays in its
  /// place.
  mutating func add(_ change: Change) {
    mark += 1
    if let place = places[change.item], entries[place]?.change == change {
      entries[place]?.mark = mark
      return
    }
    remove(change.item)
    places[change.item] = entries.count
    entries.append(Entry(change: change, mark: mark))
  }

  /// Removes a change, unless the item has another one. Returns whether it was there.
  @discardableResult
  mutating func remove(_ change: Change) -> Bool {
    guard let place = places[change.item], entries[place]?.change == change else { return false }
    remove(change.item)
    return true
  }

  /// Removes a change that was sent, unless the app added it again after a mark.
  mutating func remove(_ change: Change, addedUpTo mark: Int) {
    guard let place = places[change.item], let entry = entries[place], entry.mark <= mark else {
      return
    }
    remove(change)
  }

  private mutating func remove(_ item: Change.Item) {
    guard let place = places.removeValue(forKey: item) else { return }
    entries[place] = nil
    // So the list never has many more places than changes.
    if entries.count > 32, places.count < entries.count / 2 { compact() }
  }

  private mutating func compact() {
    entries.removeAll { $0 == nil }
    for (place, entry) in entries.enumerated() {
      if let entry { places[entry.change.item] = place }
    }
  }
}

extension PendingList: Equatable {
  static func == (one: PendingList, other: PendingList) -> Bool { one.changes == other.changes }
}
