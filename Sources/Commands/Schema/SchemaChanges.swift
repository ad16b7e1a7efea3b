internal import Basics
internal import CloudModel

/// Describes the changes from one schema to another.
enum SchemaChanges {
  /// A change as one line of a comparison.
  struct Line {
    /// `add`, `remove` or `change`.
    let action: Action
    /// `role`, `type`, `field`, `indexes` or `grant`.
    let kind: String
    /// `TYPE`, `TYPE.FIELD`, or the name of a role.
    let subject: String
    /// The old and the new declaration, in the schema language.
    var from: String?
    var to: String?

    enum Action: String {
      case add = "+"
      case remove = "-"
      case change = "~"
    }
  }

  static func line(_ change: SchemaChange) -> Line {
    switch change {
    case .addRole(let role):
      Line(action: .add, kind: "role", subject: role.name)
    case .removeRole(let role):
      Line(action: .remove, kind: "role", subject: role.name)
    case .addSubscriptionType(let type):
      Line(
        action: .add, kind: "subscription", subject: type.recordType.text,
        to: type.events.names.joined(separator: ","))
    case .addType(let type):
      Line(action: .add, kind: "type", subject: type.text)
    case .removeType(let type):
      Line(action: .remove, kind: "type", subject: type.text)
    case .addField(let type, let field):
      Line(action: .add, kind: "field", subject: path(type, field), to: words(field))
    case .removeField(let type, let field):
      Line(action: .remove, kind: "field", subject: path(type, field), from: words(field))
    case .changeField(let type, let old, let new), .preferNumber(let type, let old, let new):
      Line(
        action: .change, kind: "field", subject: path(type, new), from: words(old), to: words(new))
    case .changeIndexes(let type, let old, let new):
      Line(
        action: .change, kind: "indexes", subject: path(type, new), from: words(old),
        to: words(new))
    case .changeGrants(let type, let role, let old, let new):
      Line(
        action: old.isEmpty ? .add : new.isEmpty ? .remove : .change, kind: "grant",
        subject: type.text, from: old.isEmpty ? nil : role.schemaGrant(of: old),
        to: new.isEmpty ? nil : role.schemaGrant(of: new))
    }
  }

  private static func path(_ type: RecordType, _ field: FieldSchema) -> String {
    "\(type.text).\(field.name.text)"
  }

  private static func words(_ field: FieldSchema) -> String {
    ([field.type.schemaName] + field.indexes.words).joined(separator: " ")
  }

  /// A line of a comparison, as readable text.
  static func text(_ change: SchemaChange) -> String {
    let line = line(change)
    let head = "\(line.action.rawValue) \(line.kind) \(line.subject)"
    switch (line.from, line.to) {
    case (let from?, let to?): return "\(head): \(from) -> \(to)"
    case (let text?, nil), (nil, let text?): return "\(head): \(text)"
    case (nil, nil): return head
    }
  }

  /// Prints a comparison: readable lines, or rows in an explicit format.
  static func show(_ changes: [SchemaChange], _ context: Context) throws {
    guard context.settings.explicitFormat != nil else {
      for change in changes { context.output.line(text(change).visible) }
      return
    }
    let output = try RowOutput(
      context, noun: "difference", columns: ["change", "kind", "subject", "from", "to"])
    for change in changes {
      let line = line(change)
      output.row([
        .string("\(line.action)"), .string(line.kind), .string(line.subject),
        line.from.map { .string($0) } ?? .null, line.to.map { .string($0) } ?? .null,
      ])
    }
    output.finish()
  }
}

extension Context {
  /// Reports the changes to a schema.
  func report(_ changes: [SchemaChange], orElse nothing: String = "nothing to add") {
    if changes.isEmpty { return report(nothing) }
    var new: Set<RecordType> = []
    for change in changes {
      // The grants of a new type are not reported.
      if case .changeGrants(let type, _, _, _) = change, new.contains(type) { continue }
      if case .addType(let type) = change { new.insert(type) }
      report(Self.text(change))
    }
  }

  private static func text(_ change: SchemaChange) -> String {
    let line = SchemaChanges.line(change)
    switch change {
    case .addRole: return "added role \(line.subject)"
    case .removeRole: return "removed role \(line.subject)"
    case .addSubscriptionType(let type):
      return "added subscriptions to \(line.subject) on "
        + type.events.names.joined(separator: ", ")
    case .addType: return "added record type \(line.subject)"
    case .removeType: return "removed record type \(line.subject)"
    case .addField: return "added field \(line.subject)"
    case .removeField: return "removed field \(line.subject)"
    case .changeField(_, let old, let new):
      return "replaced field \(line.subject): \(old.type.schemaName) -> \(new.type.schemaName)"
    case .preferNumber(_, _, let new):
      return "\(line.subject) is now \(new.type.schemaName)"
    case .changeIndexes(_, let old, let new):
      let isMore = old.indexes.isSubset(of: new.indexes)
      return "\(isMore ? "added" : "changed") indexes of \(line.subject)"
    case .changeGrants(let type, let role, _, let permissions):
      return permissions.isEmpty
        ? "\(type.text) grants nothing to \(role.name)"
        : "\(type.text) grants \(permissions.words.joined(separator: ", ")) to \(role.name)"
    }
  }
}
