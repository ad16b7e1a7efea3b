#if Server
  internal import Basics
  internal import CloudModel
  internal import PredicateLanguage
  internal import WireFormat

  extension Call {
    /// Swift code that does the same with CloudKit's API; nil if there is none, or if a value has
    /// no literal.
    func swift(for endpoint: Endpoint) -> String? {
      guard let lines = (try? statements(for: endpoint)) ?? nil else { return nil }
      let container = "CKContainer(identifier: \(container.text.swiftLiteral))"
      let isOfContainer = ["users/", "records/accept"].contains(where: endpoint.path.hasPrefix)
      let place =
        isOfContainer
        ? "let container = \(container)" : "let database = \(container).\(scope.name)CloudDatabase"
      return ([place] + lines).joined(separator: "\n")
    }

    private func statements(for endpoint: Endpoint) throws -> [String]? {
      switch endpoint.path {
      case "records/query": try queryStatements()
      case "records/lookup":
        try [
          "let records = try await database.records(for: ["
            + body.requiredObjects("records").map { try recordID($0.requiredText("recordName")) }
            .joined(separator: ", ") + "])"
        ]
      case "records/modify": try modifyStatements()
      case "records/changes" where body["syncToken"] == nil:
        [
          "let changes = try await database.recordZoneChanges("
            + "inZoneWith: \(try zoneID()), since: nil)"
        ]
      case "changes/database" where body["syncToken"] == nil,
        "zones/changes" where body["syncToken"] == nil:
        ["let changes = try await database.databaseChanges(since: nil)"]
      case "zones/list": ["let zones = try await database.allRecordZones()"]
      case "subscriptions/list":
        ["let subscriptions = try await database.allSubscriptions()"]
      case "users/caller", "users/current": ["let user = try await container.userRecordID()"]
      case "records/accept":
        try body.requiredObjects("shortGUIDs").flatMap { object in
          let url = ShareURL(self.container, token: try object.requiredText("value"), title: nil)
          return [
            "let metadata = try await container.shareMetadata("
              + "for: URL(string: \(url.text.swiftLiteral))!)",
            "try await container.accept(metadata)",
          ]
        }
      default: nil
      }
    }

    private func zoneID() throws -> String {
      let zone = try zone()
      if zone.isDefault { return "CKRecordZone.default().zoneID" }
      guard case .user(let owner) = zone.owner else {
        return "CKRecordZone.ID(zoneName: \(zone.name.text.swiftLiteral))"
      }
      return "CKRecordZone.ID(zoneName: \(zone.name.text.swiftLiteral), "
        + "ownerName: \(owner.text.swiftLiteral))"
    }

    private func recordID(_ name: String) throws -> String {
      let zone = try zone().isDefault ? "" : ", zoneID: \(zoneID())"
      return "CKRecord.ID(recordName: \(name.swiftLiteral)\(zone))"
    }

    private func queryStatements() throws -> [String]? {
      guard body["continuationMarker"] == nil else { return nil }
      let query = try WireQuery(body.requiredObject("query"))
      let format = query.predicate.text.swiftLiteral
      let predicate =
        query.predicate.text == "TRUEPREDICATE"
        ? "NSPredicate(value: true)" : "NSPredicate(format: \(format))"
      var lines = [
        "let query = CKQuery(recordType: \(query.type.text.swiftLiteral), predicate: \(predicate))"
      ]
      if !query.sort.isEmpty {
        let keys = query.sort.map {
          "NSSortDescriptor(key: \($0.key.swiftLiteral), ascending: \($0.isAscending))"
        }
        lines.append("query.sortDescriptors = [\(keys.joined(separator: ", "))]")
      }
      let zone =
        try body["zoneID"] != nil || body.flag("zoneWide") != true
        ? "inZoneWith: \(zoneID()), " : ""
      lines.append(
        "let (results, cursor) = try await database.records("
          + "matching: query, \(zone)resultsLimit: \(try limit()))")
      return lines
    }

    /// Operations of one policy; nil for replacements, shares and records without a name.
    private func modifyStatements() throws -> [String]? {
      var lines: [String] = []
      var (saved, deleted): ([String], [String]) = ([], [])
      var policies: Set<String> = []
      for object in try body.requiredObjects("operations") {
        let operation = try RecordOperation(object)
        guard operation.share == nil, let name = operation.draft.name else { return nil }
        let id = try recordID(name)
        if operation.kind == .forceDelete {
          deleted.append(id)
          continue
        }
        guard let policy = operation.kind.swiftPolicy, let fields = assignments(operation.draft)
        else { return nil }
        policies.insert(policy)
        let variable = "record\(saved.isEmpty ? "" : String(saved.count + 1))"
        if operation.kind == .update {
          lines.append("let \(variable) = try await database.record(for: \(id))")
        } else {
          guard let type = operation.draft.type?.swiftLiteral else { return nil }
          lines.append("let \(variable) = CKRecord(recordType: \(type), recordID: \(id))")
        }
        if let parent = operation.draft.parent {
          lines.append(
            "\(variable).parent = CKRecord.Reference(recordID: \(try recordID(parent)), "
              + "action: .none)")
        }
        lines += fields.map { "\(variable)[\($0.name)] = \($0.value)" }
        saved.append(variable)
      }
      guard policies.count < 2 else { return nil }
      let isAtomic = try body.flag("atomic") ?? false
      lines.append(
        "try await database.modifyRecords(saving: [\(saved.joined(separator: ", "))], "
          + "deleting: [\(deleted.joined(separator: ", "))], "
          + "savePolicy: \(policies.first ?? ".ifServerRecordUnchanged"), "
          + "atomically: \(isAtomic))")
      return lines
    }

    /// The fields as Swift literals; nil if a value has none.
    private func assignments(_ draft: RecordDraft) -> [(name: String, value: String)]? {
      var fields: [(name: String, value: String)] = []
      for field in draft.fields {
        guard let literal = field.value.map(\.swiftLiteral) ?? "nil" else { return nil }
        fields.append((field.name.text.swiftLiteral, literal))
      }
      return fields
    }
  }

  extension RecordOperation.Kind {
    /// The save policy that does the same; nil for deletions and replacements.
    fileprivate var swiftPolicy: String? {
      switch self {
      case .create, .update: ".ifServerRecordUnchanged"
      case .forceUpdate: ".changedKeys"
      case .replace, .forceReplace, .delete, .forceDelete: nil
      }
    }
  }

  extension FieldValue {
    /// The value as a Swift expression; nil for one with contents or a zone.
    fileprivate var swiftLiteral: String? {
      switch self {
      case .string(let text): return text.swiftLiteral
      case .int64(let number): return String(number)
      case .double(let number): return number.description
      case .timestamp(let time):
        return "Date(timeIntervalSince1970: \(Double(time.milliseconds) / 1000))"
      case .location(let place):
        return "CLLocation(latitude: \(place.latitude), longitude: \(place.longitude))"
      case .list(let members):
        let literals = members.compactMap(\.swiftLiteral)
        return literals.count == members.count ? "[\(literals.joined(separator: ", "))]" : nil
      case .bytes, .asset, .reference: return nil
      }
    }
  }

  extension String {
    /// The text as a literal of Swift.
    fileprivate var swiftLiteral: String {
      var literal = "\""
      for scalar in unicodeScalars {
        switch scalar {
        case "\"", "\\":
          literal += "\\"
          literal.unicodeScalars.append(scalar)
        case "\n": literal += "\\n"
        case "\r": literal += "\\r"
        case "\t": literal += "\\t"
        case "\0"..."\u{1F}", "\u{7F}": literal += "\\u{\(String(scalar.value, radix: 16))}"
        default: literal.unicodeScalars.append(scalar)
        }
      }
      return literal + "\""
    }
  }
#endif
