internal import Basics
internal import CloudModel
internal import Testing

/// Copies of views, which another thread writes while the store keeps reading.
@Suite struct RecordViewBatchTests {
  private static let shapes = ["A", "B"].map { name in
    RecordView.Shape(
      RecordTypeSchema(
        name: RecordType(stored: name),
        fields: (0..<(name == "A" ? 3 : 5)).map {
          FieldSchema(name: FieldName(stored: "f\($0)"), type: FieldType(.string), indexes: [])
        }), .defaultZone)
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private func words(_ view: RecordView) -> [String] {
    [view.shape.schema.name.text, text(view.name), view.parent?.text ?? ""]
      + view.values.map { value in
        switch value {
        case .none: "none"
        case .text(let bytes): "text " + text(bytes)
        case .plainList(let bytes): "list " + text(bytes)
        case .references(let bytes): "references " + text(bytes)
        case .value(let value): "\(value)"
        }
      }
  }

  /// Fills a view with texts of at most `most` bytes, a power of two minus one.
  private func fill(_ view: RecordView, _ random: inout SplitMix64, most: UInt64) {
    func bytes() -> UnsafeRawBufferPointer {
      let (byte, count) = (UInt8(97 + random.next() % 26), Int(random.next() & most))
      let place = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
      place.copyBytes(from: repeatElement(byte, count: count))
      return UnsafeRawBufferPointer(place)
    }
    view.name = bytes()
    view.parent = random.next() % 2 == 0 ? nil : RecordName(stored: "p\(random.next() % 9)")
    view.values = view.shape.schema.fields.map { _ in
      switch random.next() % 5 {
      case 0: .none
      case 1: .text(bytes())
      case 2: .plainList(bytes())
      case 3: .references(bytes())
      default: .value(.int64(Int64(random.next() % 100)))
      }
    }
  }

  /// Overwrites the memory of a view, as the store does with the next row.
  private func spoil(_ view: RecordView) {
    for bytes in [view.name]
      + view.values.compactMap({ value -> UnsafeRawBufferPointer? in
        switch value {
        case .none, .value: nil
        case .text(let bytes), .plainList(let bytes), .references(let bytes): bytes
        }
      })
    {
      let place = UnsafeMutableRawBufferPointer(mutating: bytes)
      for index in place.indices { place[index] = 0x21 }
      place.deallocate()
    }
  }

  @Test("a batch keeps the values that views had when they were added, in order")
  func copies() {
    var random = SplitMix64(state: 7)
    let batch = RecordViewBatch()
    for _ in 0..<30 {
      #expect(batch.isEmpty)
      var expected: [[String]] = []
      while true {
        let view = RecordView(Self.shapes[Int(random.next() % 2)])
        fill(view, &random, most: random.next() % 50 == 0 ? 0x3FFFF : 0xFFF)
        defer { spoil(view) }
        let (wanted, wasEmpty) = (words(view), batch.isEmpty)
        guard batch.add(view) else {
          #expect(!wasEmpty, "an empty batch has room for every view")
          break
        }
        expected.append(wanted)
      }
      var found: [[String]] = []
      batch.forEach { found.append(words($0)) }
      #expect(found == expected && !found.isEmpty)
      batch.removeAll()
    }
  }
}
