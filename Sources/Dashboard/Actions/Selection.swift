#if Server
  internal import CloudModel
  internal import CloudServices

  /// The records that are selected in a table.
  struct Selection {
    /// The records by zone, in the form's order.
    let zones: [(zone: ZoneID, names: [RecordName])]

    /// Reads the selected records of a form. Throws `invalidArguments` if there are none.
    init(_ form: FormFields) throws {
      var zones: [(zone: ZoneID, names: [RecordName])] = []
      for text in form.all("record") {
        let parts = text.split(separator: "/", maxSplits: 1).map { FormFields.decoded($0.utf8) }
        guard parts.count == 2 else { throw CloudError(.invalidArguments, "Unknown record") }
        let (zone, name) = (try ZoneID(parts[0]), try RecordName(parts[1]))
        if let place = zones.firstIndex(where: { $0.zone == zone }) {
          zones[place].names.append(name)
        } else {
          zones.append((zone, [name]))
        }
      }
      guard !zones.isEmpty else {
        throw CloudError(
          .invalidArguments, "No record is selected", remedy: "go back and select some")
      }
      self.zones = zones
    }

    var count: Int { zones.reduce(0) { $0 + $1.names.count } }

    /// The value of a record's checkbox.
    static func value(_ zone: ZoneID, _ name: RecordName) -> String {
      "\(zone.text.addressPart)/\(name.text.addressPart)"
    }

    /// The hidden fields that pass the selection on.
    var hidden: [HTML] {
      zones.flatMap { zone, names in
        names.map { HTML.hidden("record", Self.value(zone, $0)) }
      }
    }

    /// The selected records that still exist. Throws `CloudError` for the zone.
    func records(in database: CloudDatabase) throws -> [Record] {
      try zones.flatMap { zone, names in
        try database.fetch(names, in: zone).compactMap { result -> Record? in
          if case .record(let record) = result { record } else { nil }
        }
      }
    }
  }
#endif
