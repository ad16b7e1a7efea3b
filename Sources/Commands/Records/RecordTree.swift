internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

/// `ckdb record tree NAME`
enum RecordTree {
  static let name = Operand("NAME", .record, "Name of the record at the root")
  static let references = Flag("references", "Follow references to a record, too")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)], options: [AnyOption(references)],
      discussion: """
        Prints a record with the records that have it as their parent, and those below them; with \
        --references also the records with a reference to it. A record that was printed before is \
        marked with an ellipsis. The share that covers a record is named where a shared hierarchy \
        begins. With a JSON format the tree is one object.
        """,
      examples: [
        .init("Show what a list contains", "ckdb record tree list -z Lists"),
        .init("Show all that refers to an artist", "ckdb record tree blake --references"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    let zone = try context.zone()
    let root = try database.fetch([arguments.required(name)], in: zone)[0].get()
    var reader = TreeReader(
      database: database, zone: zone, types: try database.environment.appSchema(),
      followsReferences: arguments[references])
    let tree = try reader.node(root, by: nil, share: reader.share(of: root))
    if try context.format().isJSON {
      context.output.buffer.append(json: tree.json)
      return context.output.line("")
    }
    tree.write(to: context.output)
  }
}

/// A record of a tree with the records below it.
private struct TreeNode {
  let record: Record
  /// The field that leads to the node above; nil for the parent.
  let field: FieldName?
  /// The share that covers the record; nil for none.
  let share: RecordName?
  /// Whether the record is printed elsewhere.
  var isRepeated = false
  var children: [TreeNode] = []

  private func title(below above: RecordName?) -> String {
    var text = "\(record.name.text) (\(record.type.text))"
    if let field { text += " by \(field.text)" }
    if let share, share != above { text += " · shared: \(share.text)" }
    return text.visible + (isRepeated ? " …" : "")
  }

  func write(
    to output: ByteOutput, first: String = "", others: String = "", below above: RecordName? = nil
  ) {
    output.line(first + title(below: above))
    for (index, child) in children.enumerated() {
      let isLast = index == children.count - 1
      child.write(
        to: output, first: others + (isLast ? "└── " : "├── "),
        others: others + (isLast ? "    " : "│   "), below: share)
    }
  }

  var json: JSONValue {
    var members = [
      JSONMember("recordName", .string(record.name.text)),
      JSONMember("recordType", .string(record.type.text)),
    ]
    if let field { members.append(JSONMember("by", .string(field.text))) }
    if let share { members.append(JSONMember("share", .string(share.text))) }
    if !isRepeated { members.append(JSONMember("children", .array(children.map(\.json)))) }
    return .object(members)
  }
}

/// Finds the records below a record.
private struct TreeReader {
  let database: CloudDatabase
  let zone: ZoneID
  let types: [RecordTypeSchema]
  let followsReferences: Bool
  private var met: Set<RecordName> = []

  init(
    database: CloudDatabase, zone: ZoneID, types: [RecordTypeSchema], followsReferences: Bool
  ) {
    (self.database, self.zone, self.types) = (database, zone, types)
    self.followsReferences = followsReferences
  }

  /// The share that covers a record; nil for none.
  func share(of record: Record) throws -> RecordName? {
    try database.share(covering: record.name, in: zone)
  }

  mutating func node(
    _ record: Record, by field: FieldName?, share: RecordName?
  ) throws -> TreeNode {
    try CommandError.checkInterrupt()
    var node = TreeNode(record: record, field: field, share: share)
    guard met.insert(record.name).inserted else {
      node.isRepeated = true
      return node
    }
    for type in types {
      for child in try records(of: type, "parent == %@", record.name) {
        node.children.append(try self.node(child, by: nil, share: child.share ?? share))
      }
      guard followsReferences else { continue }
      for field in type.fields where field.type.base == .reference {
        let format =
          field.type.isList ? "#\(field.name.text) CONTAINS %@" : "#\(field.name.text) == %@"
        for child in try records(of: type, format, record.name) {
          let share = try self.share(of: child)
          node.children.append(try self.node(child, by: field.name, share: share))
        }
      }
    }
    return node
  }

  private func records(
    of type: RecordTypeSchema, _ format: String, _ target: RecordName
  ) throws -> [Record] {
    let reference = PredicateParser.Argument.value(.reference(Reference(target)))
    var request = QueryRequest(
      type: type.name, predicate: try PredicateParser.parse(format, arguments: [reference]))
    request.zone = zone
    request.sort = [SortKey("recordName")]
    request.isForCloudKit = false
    request.meetsFaults = false
    var records: [Record] = []
    _ = try database.query(request) { record in
      records.append(record)
      return true
    }
    return records
  }
}
