internal import Basics
internal import CloudModel

/// Reads a binary property list (`bplist00`, documented by CoreFoundation in CFBinaryPList.c).
/// Dates and data become what they are in JSON: a text with its type.
///
/// Used because FoundationEssentials' decoder overflows the stack on deep texts, takes time cubic
/// in their depth, and does not distinguish whole reals from integers.
struct BinaryPropertyList {
  private let bytes: UnsafeRawBufferPointer
  private var table = Table()
  private var depth = 0
  /// How many more values may be read: shared objects could multiply the size of the text.
  private var budget: Int
  private static let deepest = 128

  /// The trailer, in the last 32 bytes.
  private struct Table {
    var offsetSize = 0
    var referenceSize = 0
    var count = 0
    var top = 0
    var start = 0
  }

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    budget = bytes.count
  }

  /// Whether the bytes begin like a binary property list.
  static func isOne(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: "bplist".utf8) }

  /// How the values of dictionaries and arrays are built from those of their members.
  private struct Building<Value> {
    let single: (JSONValue) throws(PropertyListError) -> Value
    let array: ([Value]) -> Value
    let dictionary: ([(name: String, value: Value)]) -> Value
  }

  /// Reads the value as JSON.
  mutating func json() throws(PropertyListError) -> JSONValue {
    try read(
      Building(
        single: { (json) throws(PropertyListError) in json }, array: { .typedList($0) },
        dictionary: { .object($0.map { JSONMember($0.name, $0.value) }) }))
  }

  /// Reads the value as a value of a key-value store.
  mutating func value() throws(PropertyListError) -> PropertyListValue {
    try read(
      Building(
        single: { (json) throws(PropertyListError) in try PropertyListValue(single: json, at: 0) },
        array: { .array($0) },
        dictionary: { .dictionary(of: $0.map { .init($0.name, $0.value) }) }))
  }

  private mutating func read<Value>(
    _ building: Building<Value>
  ) throws(PropertyListError) -> Value {
    guard bytes.starts(with: "bplist00".utf8), bytes.count >= 40 else { throw Self.broken }
    let trailer = bytes.count - 32
    table.offsetSize = Int(bytes[trailer + 6])
    table.referenceSize = Int(bytes[trailer + 7])
    table.count = try integer(at: trailer + 8, size: 8)
    table.top = try integer(at: trailer + 16, size: 8)
    table.start = try integer(at: trailer + 24, size: 8)
    guard (1...8).contains(table.offsetSize), (1...8).contains(table.referenceSize),
      table.count <= bytes.count, table.start < trailer,
      table.count * table.offsetSize <= trailer - table.start
    else { throw Self.broken }
    return try object(table.top, building)
  }

  private static let broken = PropertyListError("the property list is damaged", at: 0)

  /// Reads a big-endian number that fits an Int.
  private func integer(at place: Int, size: Int) throws(PropertyListError) -> Int {
    guard place >= 0, size > 0, place <= bytes.count - size else { throw Self.broken }
    var number: UInt64 = 0
    for index in place..<(place + size) { number = number << 8 | UInt64(bytes[index]) }
    guard let number = Int(exactly: number) else { throw Self.broken }
    return number
  }

  private func bits(at place: Int, size: Int) throws(PropertyListError) -> UInt64 {
    guard place <= bytes.count - size else { throw Self.broken }
    return bytes[place..<(place + size)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Objects

  private mutating func object<Value>(
    _ number: Int, _ building: Building<Value>
  ) throws(PropertyListError) -> Value {
    guard number < table.count, budget > 0 else { throw Self.broken }
    budget -= 1
    let place = try integer(
      at: table.start + number * table.offsetSize, size: table.offsetSize)
    guard place < table.start else { throw Self.broken }
    let (kind, low) = (bytes[place] >> 4, Int(bytes[place] & 0xF))
    if kind == 10 || kind == 13 {
      return try nested(place, low, isDictionary: kind == 13, building)
    }
    return try building.single(single(kind, low, at: place))
  }

  private func single(
    _ kind: UInt8, _ low: Int, at place: Int
  ) throws(PropertyListError) -> JSONValue {
    switch (kind, low) {
    case (0, 8): return .bool(false)
    case (0, 9): return .bool(true)
    case (1, 0...3):
      // Only eight-byte integers are signed.
      let bits = try bits(at: place + 1, size: 1 << low)
      return .int(Int64(bitPattern: bits))
    case (1, 4):
      let (high, number) = (try bits(at: place + 1, size: 8), try bits(at: place + 9, size: 8))
      return high == 0 ? .unsigned(number) : .outOfRange("1e999")
    case (2, 2):
      let bits = UInt32(truncatingIfNeeded: try bits(at: place + 1, size: 4))
      return .real(Double(Float(bitPattern: bits)))
    case (2, 3): return .real(Double(bitPattern: try bits(at: place + 1, size: 8)))
    case (3, 3): return try date(Double(bitPattern: bits(at: place + 1, size: 8)))
    case (4, _):
      let (start, count) = try extent(place, low, unit: 1)
      return .typed(.string(Base64.encode(Array(bytes[start..<(start + count)]))), "BYTES")
    case (5, _), (6, _): return .string(try text(place, low, isWide: kind == 6))
    default: throw Self.broken
    }
  }

  /// Returns the start of an object's contents, and their length in units.
  private func extent(
    _ place: Int, _ low: Int, unit: Int
  ) throws(PropertyListError) -> (start: Int, count: Int) {
    var (start, count) = (place + 1, low)
    if low == 0xF {
      guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 0xF <= 3 else {
        throw Self.broken
      }
      let size = 1 << Int(bytes[start] & 0xF)
      count = try integer(at: start + 1, size: size)
      start += 1 + size
    }
    guard start <= table.start, count <= (table.start - start) / unit else { throw Self.broken }
    return (start, count)
  }

  private func text(
    _ place: Int, _ low: Int, isWide: Bool
  ) throws(PropertyListError) -> String {
    let (start, count) = try extent(place, low, unit: isWide ? 2 : 1)
    if !isWide { return String(decoding: bytes[start..<(start + count)], as: UTF8.self) }
    let units = (0..<count).map {
      UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private func date(_ seconds: Double) throws(PropertyListError) -> JSONValue {
    // Seconds since 2001-01-01T00:00:00Z.
    let milliseconds = ((seconds + 978_307_200) * 1000).rounded()
    guard let time = Int64(exactly: milliseconds).flatMap(Timestamp.init(given:)) else {
      throw PropertyListError("a date is out of range", at: 0)
    }
    return .typed(.string(time.text), "TIMESTAMP")
  }

  private mutating func nested<Value>(
    _ place: Int, _ low: Int, isDictionary: Bool, _ building: Building<Value>
  ) throws(PropertyListError) -> Value {
    guard depth < Self.deepest else {
      throw PropertyListError("nested more than \(Self.deepest) levels deep", at: 0)
    }
    depth += 1
    defer { depth -= 1 }
    let size = table.referenceSize
    let (start, count) = try extent(place, low, unit: isDictionary ? 2 * size : size)
    func reference(_ index: Int) throws(PropertyListError) -> Int {
      try integer(at: start + index * size, size: size)
    }
    guard isDictionary else {
      var items: [Value] = []
      for index in 0..<count { items.append(try object(reference(index), building)) }
      return building.array(items)
    }
    var members: [(name: String, value: Value)] = []
    var names = NamesMet()
    for index in 0..<count {
      let name = try name(reference(index))
      guard names.insert(name) else { throw Self.broken }
      members.append((name, try object(reference(count + index), building)))
    }
    return building.dictionary(members)
  }

  /// The text of a dictionary's key.
  private mutating func name(_ number: Int) throws(PropertyListError) -> String {
    let strings = Building<String?>(
      single: { (json) throws(PropertyListError) in json.string }, array: { _ in nil },
      dictionary: { _ in nil })
    guard let name = try object(number, strings) else { throw Self.broken }
    return name
  }
}
