package import Basics
public import SQLite

/// The tables of a damaged database, read from its pages. Their root pages and columns come from
/// the database, or from elsewhere.
public final class PageTables {
  /// The pages.
  public let pages: DatabasePages
  private var tables: [String: Place] = [:]
  /// A connection that runs no statement of the damaged file.
  private let scratch: Connection

  /// The root page of a table, and the statement that made it.
  public struct Root {
    /// The table's name.
    public let name: String
    /// The root page.
    public let root: UInt32
    /// The statement.
    public let creation: String

    /// Describes a table.
    public init(name: String, root: UInt32, creation: String) {
      (self.name, self.root, self.creation) = (name, root, creation)
    }
  }

  /// A table's root page and columns.
  public struct Place {
    /// The root page.
    public let root: UInt32
    /// The names of the columns.
    public let columns: [String]
  }

  /// Searches for the tables. Throws `StoreError` if memory is short.
  public init(_ pages: DatabasePages, _ known: [Root]) throws(StoreError) {
    self.pages = pages
    scratch = try Connection.open()
    try Table.addSealFunction(to: scratch)
    for table in known { add(table.name, table.root, table.creation) }
    _ = try pages.rows(root: 1) { row in
      guard row.values.count == 5, row.values[0].text == "table", let name = row.values[1].text,
        case .integer(let root) = row.values[3], let root = UInt32(exactly: root),
        let creation = row.values[4].text
      else { return }
      add(name, root, creation)
    }
  }

  private func add(_ name: String, _ root: UInt32, _ creation: String) {
    tables[name] = Place(root: root, columns: Self.columns(in: creation))
  }

  /// The tables of an undamaged database.
  static func roots(of connection: Connection) throws(StoreError) -> [Root] {
    let rows = try connection.query(
      "SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'table'")
    var roots: [Root] = []
    while try rows.next() {
      guard let root = UInt32(exactly: rows.int64(1)) else { continue }
      roots.append(Root(name: rows.text(0), root: root, creation: rows.text(2)))
    }
    return roots
  }

  /// A table by its name.
  public subscript(name: String) -> Place? { tables[name] }

  /// The root pages.
  public var roots: Set<UInt32> { Set(tables.values.map(\.root)) }

  /// The pages of trees that no page refers to, without the free ones.
  package func unreachablePages(
    besides free: NumberSet
  ) -> [(number: UInt32, isTable: Bool)] {
    var (found, reached): ([(number: UInt32, isTable: Bool)], NumberSet) = ([], NumberSet())
    for root in roots { reached.insert(Int64(root)) }
    for number in 1...max(1, pages.count) where !free.contains(Int64(number)) {
      guard let page = pages.page(number), let kind = DatabasePages.kind(page, number) else {
        continue
      }
      found.append((number, kind.isTable))
      if kind.isInterior {
        for child in DatabasePages.children(of: page, number) where child <= pages.count {
          reached.insert(Int64(child))
        }
      }
    }
    return found.filter { !reached.contains(Int64($0.number)) }
  }

  /// Passes the rows of a table after the first ones to `body`, like a statement that selects
  /// `columns` from it as `t`; the quoted `names` that it does not have are NULL. Returns whether
  /// every page could be read and matches its checksum, nil for an unknown table.
  public func rows(
    of name: String, _ columns: String, names: [String], after first: Int = 0,
    _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool? {
    guard let table = tables[name], let view = try view(of: table, columns, names) else {
      return nil
    }
    var count = 0
    return try pages.rows(root: table.root) { (row) throws(StoreError) in
      count += 1
      if count <= first { return }
      if try view.show(row) { try body(view.statement) }
      view.statement.reset()
    }
  }

  /// Shows rows of pages as a statement shows those of a table.
  public struct View {
    /// The statement that selects the columns of a row.
    public let statement: Statement
    /// The number of the table's columns.
    public let width: Int

    /// Makes a row the statement's; returns false if it has more columns than the table.
    public func show(_ row: PageRow) throws(StoreError) -> Bool {
      guard row.values.count <= width else { return false }
      for place in 1...width {
        statement.bind(place <= row.values.count ? row.values[place - 1] : .null, place)
      }
      // The record of a row does not repeat its number.
      if let number = row.number { statement.bind(number, 1) }
      return try statement.next()
    }
  }

  /// A view of a table; nil if it does not have the columns.
  public func view(
    of table: Place, _ columns: String, _ names: [String]
  ) throws(StoreError) -> View? {
    guard !table.columns.isEmpty else { return nil }
    var list = table.columns.enumerated().map { "?\($0 + 1) AS \($1.quotedIdentifier)" }
    let known = Set(table.columns.map(\.quotedIdentifier))
    list += names.filter { !known.contains($0) }.map { "NULL AS \($0)" }
    let statement = try? scratch.query(
      "SELECT \(columns) FROM (SELECT \(list.joined(separator: ", "))) t")
    return statement.map { View(statement: $0, width: table.columns.count) }
  }

  // MARK: CREATE statements

  /// The names of the columns that a CREATE TABLE statement of ours lists.
  public static func columns(in creation: String) -> [String] {
    var parser = CreationParser(text: Array(creation.utf8))
    return parser.columns()
  }
}

/// Finds the names of columns in a CREATE TABLE statement as SQLite stores it: only quotes,
/// parentheses and commas matter.
private struct CreationParser {
  let text: [UInt8]
  private var place = 0

  init(text: [UInt8]) { self.text = text }

  mutating func columns() -> [String] {
    // The name of the table may be quoted.
    while let byte = peek, byte != UInt8(ascii: "(") { skip(byte) }
    var names: [String] = []
    while peek != nil {
      place += 1
      while let byte = peek, byte <= UInt8(ascii: " ") { place += 1 }
      guard let name = name() else { return names }
      names.append(name)
      skipDefinition()
      guard peek == UInt8(ascii: ",") else { return names }
    }
    return names
  }

  private var peek: UInt8? { place < text.count ? text[place] : nil }

  /// The name at this position; nil for a constraint of the table.
  private mutating func name() -> String? {
    let start = place
    if peek == UInt8(ascii: "\"") {
      skip(UInt8(ascii: "\""))
      return String(decoding: text[start..<place], as: UTF8.self).dropFirst().dropLast()
        .split(separator: "\"\"", omittingEmptySubsequences: false).joined(separator: "\"")
    }
    while let byte = peek, byte > UInt8(ascii: " "), byte != UInt8(ascii: "("),
      byte != UInt8(ascii: ","), byte != UInt8(ascii: ")")
    {
      place += 1
    }
    let name = String(decoding: text[start..<place], as: UTF8.self)
    return name.isEmpty || ["UNIQUE", "PRIMARY", "CHECK", "CONSTRAINT"].contains(name) ? nil : name
  }

  /// Moves to the comma or parenthesis that ends a definition.
  private mutating func skipDefinition() {
    var depth = 0
    while let byte = peek {
      if depth == 0, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ")") { return }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      skip(byte)
    }
  }

  /// Moves past a byte, or past the quoted text that it begins.
  private mutating func skip(_ byte: UInt8) {
    place += 1
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { return }
    while let next = peek {
      place += 1
      guard next == byte else { continue }
      if peek != byte { return }
      place += 1
    }
  }
}
