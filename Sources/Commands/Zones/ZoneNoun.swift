internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb zone …`
enum ZoneNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("create", "Create zones", verb: { ZoneCreate.command }),
    CommandRow("list", "List the zones of the database", verb: { ZoneList.command }),
    CommandRow("show", "Show a zone", verb: { ZoneShow.command }),
    CommandRow("delete", "Delete zones and everything in them", verb: { ZoneDelete.command }),
  ]
}

/// `ckdb zone create NAME…`
enum ZoneCreate {
  static let names = Operand("NAME", .zone, .oneOrMore, "Name of a zone")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(names)],
      discussion: """
        Custom zones live in the private database. Several zones are created together or not at \
        all. Creating an existing zone succeeds and changes nothing, as in CloudKit.
        """,
      examples: [.init("Create two zones", "ckdb zone create Notes Archive")]
    ) { arguments, context in
      let database = try context.database()
      let names = arguments.all(names)
      let result = try database.createZones(names)
      context.report(result.notices)
      var made = result.made
      for name in names {
        let place = made.firstIndex(of: name)
        if let place { made.remove(at: place) }
        context.report(
          place == nil ? "zone \(name.text) already exists" : "created zone \(name.text)")
      }
    }
  }
}

/// `ckdb zone list`
enum ZoneList {
  static var command: Command<Context> {
    Command(
      examples: [.init("List the zones of the private database", "ckdb zone list")]
    ) { _, context in
      let output = try RowOutput(context, noun: "zone", columns: ZoneRow.columns + ["share"])
      let database = try context.database()
      for zone in try database.zones() {
        output.row(try ZoneRow.values(zone, database) + [ZoneRow.share(of: zone)])
      }
      output.finish()
    }
  }
}

/// `ckdb zone show NAME`
enum ZoneShow {
  static let name = Operand("NAME", .zone, "Name of a zone")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)],
      discussion: """
        Shows the zone's capabilities, its records per type, its change token, and the name of the \
        share of the whole zone, if there is one.
        """,
      examples: [.init("Show the default zone", "ckdb zone show _defaultZone")]
    ) { arguments, context in
      let database = try context.database()
      let zone = try database.zone(arguments.required(name))
      let counts = try database.recordCounts(in: zone.id)
      let output = try RowOutput(
        context, noun: "zone", columns: ZoneRow.columns + ["types", "share"])
      let types = counts.map { JSONMember($0.0.text, .int(Int64($0.1))) }
      output.row(try ZoneRow.values(zone, database) + [.object(types), ZoneRow.share(of: zone)])
      output.finish()
    }
  }
}

/// `ckdb zone delete NAME…`
enum ZoneDelete {
  static let names = Operand("NAME", .customZone, .oneOrMore, "Name of a zone")
  static let reason = Option(
    "reason", nil, .zoneDeletionReason, default: "deleted",
    "Reason in the change feed: deleted, purged, encryptedDataReset")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(names)], options: [AnyOption(reason)],
      discussion: """
        --reason purged simulates a user who deletes the data of an app in the settings (the zone \
        then gives userDeletedZone until it is created again), encryptedDataReset the loss of the \
        encryption keys. Missing zones are reported, and the others are deleted.
        """,
      examples: [.init("Delete a zone without confirmation", "ckdb zone delete Notes --yes")]
    ) { arguments, context in
      let database = try context.database()
      let names = arguments.all(names)
      // Ask all questions first, so that a no changes nothing.
      for name in names {
        guard let zone = try? database.zone(name), zone.recordCount > 0, !name.isDefault else {
          continue
        }
        let records = zone.recordCount.counted("record")
        try context.confirm("delete zone \(name.text) with \(records)")
      }
      try context.forEach(names, failing: "Failed to delete some zones") { (name) in
        try database.deleteZone(name, reason: arguments[reason] ?? .deleted)
        context.report("deleted zone \(name.text)")
      }
    }
  }
}

/// A zone as a row.
private enum ZoneRow {
  static let columns = ["zoneName", "records", "capabilities", "changeToken"]

  static func values(_ zone: Zone, _ database: CloudDatabase) throws -> [JSONValue] {
    [
      .string(zone.id.text), .int(Int64(zone.recordCount)),
      .array(zone.capabilities.map { .string($0) }),
      try database.changeToken(of: zone).map { .string($0.text) } ?? .null,
    ]
  }

  static func share(of zone: Zone) -> JSONValue { zone.share.map { .string($0.text) } ?? .null }
}

extension ValueKind where Value == ZoneDeletionReason {
  /// The reason for a zone's deletion.
  static let zoneDeletionReason = ValueKind<ZoneDeletionReason>(
    "REASON", candidates: .words(ZoneDeletionReason.allCases.map(\.name))
  ) { (word) throws(ValueError) in
    let reasons = ZoneDeletionReason.allCases
    guard let reason = reasons.first(where: { $0.name == word }) else {
      throw ValueError.unknown(word, among: reasons.map(\.name))
    }
    return reason
  }
}
