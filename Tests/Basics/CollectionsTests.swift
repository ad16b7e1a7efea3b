internal import Basics
internal import Testing

/// Collections that start fast behave like those of the standard library.
@Suite struct CollectionsTests {
  @Test("a queue gives its elements in their order, also beyond the places it keeps")
  func queue() {
    var random = SplitMix64(state: 24)
    var (queue, model) = (FIFOQueue<Int>(), [Int]())
    for step in 0..<20_000 {
      // It grows, and then shrinks to nothing.
      if random.below(step < 10_000 ? 3 : 2) > 0, step < 15_000 {
        queue.append(step)
        model.append(step)
      } else {
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
    }
    #expect(queue.isEmpty)
  }

  @Test("a small map behaves like a dictionary and keeps its keys in insertion order")
  func smallMap() {
    var random = SplitMix64(state: 22)
    for _ in 0..<200 {
      var map = SmallMap<Int, Int>()
      var model: [Int: Int] = [:]
      var order: [Int] = []
      for _ in 0..<random.below(40) {
        let (key, value) = (random.below(8), random.below(100))
        switch random.below(3) {
        case 0:
          map[key] = nil
          model[key] = nil
        case 1:
          map[key, default: value] += 1
          model[key, default: value] += 1
        default:
          map[key] = value
          model[key] = value
        }
        order.removeAll { model[$0] == nil }
        if model[key] != nil, !order.contains(key) { order.append(key) }
        #expect(map.keys == order && map.isEmpty == model.isEmpty)
        #expect((0..<8).allSatisfy { map[$0] == model[$0] })
        #expect(map.entries.map(\.value) == order.map { model[$0] })
      }
    }
  }

  @Test("small maps are equal when they have the same entries, in any order")
  func equality() {
    var random = SplitMix64(state: 23)
    for _ in 0..<2000 {
      var maps = [SmallMap<Int, Int>(), SmallMap<Int, Int>()]
      var models: [[Int: Int]] = [[:], [:]]
      for _ in 0..<6 {
        let (side, key, value) = (random.below(2), random.below(2), random.below(2))
        maps[side][key] = value
        models[side][key] = value
      }
      #expect((maps[0] == maps[1]) == (models[0] == models[1]))
    }
  }

  @Test("a copy of a growing list or map, put back, has what it had: savepoints within savepoints")
  func growing() {
    var random = SplitMix64(state: 26)
    for _ in 0..<200 {
      var state = (list: GrowingList<Int>(), map: GrowingMap<Int, Int>())
      var model: (list: [Int], map: [Int: Int]) = ([], [:])
      var savepoints = [(state, model)]
      for _ in 0..<60 {
        switch random.below(6) {
        case 0: savepoints.append((state, model))
        case 1:
          guard let last = savepoints.popLast() else { break }
          // Rolled back; otherwise released.
          if random.below(2) == 0 { (state, model) = last }
        default:
          let (key, value) = (random.below(20), random.below(100))
          state.list.append(value)
          state.map.add(key, value)
          model.list.append(value)
          if model.map[key] == nil { model.map[key] = value }
        }
        #expect(Array(state.list.elements) == model.list)
        #expect((0..<20).allSatisfy { state.map[$0] == model.map[$0] })
        #expect(Set(state.map.keys) == Set(model.map.keys))
      }
    }
  }

  @Test("texts with separators equal the standard library's joined")
  func separated() {
    var random = SplitMix64(state: 24)
    for count in 0..<100 {
      let texts = (0..<count % 5).map { _ in random.text(4) }
      let separator = random.text(2)
      #expect(
        texts.separated(by: separator).utf8.elementsEqual(
          texts.joined(separator: separator).utf8))
    }
  }

  @Test("a search in sorted elements finds the same first place as a linear search")
  func firstPlace() {
    var random = SplitMix64(state: 25)
    for _ in 0..<500 {
      let numbers = (0..<random.below(20)).map { _ in random.below(20) }.sorted()
      let number = random.below(22) - 1
      #expect(
        numbers.firstPlace { $0 < number }
          == numbers.firstIndex { $0 >= number } ?? numbers.endIndex)
    }
  }
}
