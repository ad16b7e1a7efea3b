#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// Records that an action saves and deletes in one operation, and the `ckdb` line that does the
  /// same.
  struct RecordBatch {
    private let open: OpenPlace
    private let policy: SavePolicy
    private let replacesFields: Bool
    private var items: [ModifyRequest.Item] = []
    /// The records of the line, by zone; nil if they would be too long.
    private var lines: [(zone: ZoneID, text: [UInt8])]? = []
    private var staged: [StagedAsset] = []
    /// The longest line that a page shows, in bytes.
    static let mostBytes = 16 << 10

    init(_ open: OpenPlace, policy: SavePolicy, replacesFields: Bool = false) {
      (self.open, self.policy, self.replacesFields) = (open, policy, replacesFields)
    }

    /// Makes a record what it was: saves it over the version that an action left, or deletes that.
    /// `contents` has the contents of its assets.
    mutating func add(
      _ record: Record?, over touched: UndoPlan.Touched, contents: CloudEnvironment
    ) throws {
      guard let record else {
        // A record that did not exist, and does not exist now.
        guard let tag = touched.tag else { return }
        items.append(ModifyRequest.Item(.delete(touched.name, tag: tag), in: touched.zone))
        var draft = RecordDraft()
        (draft.name, draft.changeTag, draft.isDeletion) = (touched.name.text, tag.text, true)
        return note(draft, in: touched.zone)
      }
      // Shares are not put back: a record does not have their participants.
      if record.type == .share { return }
      let environment = open.database.environment
      do throws(CloudError) {
        var assignments: [FieldAssignment] = []
        for entry in record.fields.entries {
          var assignment = FieldAssignment(entry.name, entry.value)
          for asset in entry.value.assets {
            let own = try environment.stage(contents.open(asset))
            staged.append(own)
            assignment.staged.append(own)
          }
          assignments.append(assignment)
        }
        append(
          SaveRequest(
            name: record.name, type: record.type, assignments: assignments, tag: touched.tag,
            policy: policy, replacesFields: replacesFields, parent: record.parent),
          in: record.zone)
      } catch {
        var error = error
        error.recordName = record.name.text
        refuse(error, in: record.zone)
      }
    }

    /// Adds a record that fails with an error.
    mutating func refuse(_ error: CloudError, in zone: ZoneID) {
      items.append(ModifyRequest.Item(.refused(error), in: zone))
    }

    /// Adds a record to save, with contents of its own. Throws `assetFileNotFound`.
    mutating func add(_ request: SaveRequest, in zone: ZoneID) throws(CloudError) {
      var request = request
      for place in request.assignments.indices {
        var own: [StagedAsset] = []
        for asset in request.assignments[place].staged {
          own.append(try open.database.environment.stage(again: asset))
        }
        staged += own
        request.assignments[place].staged = own
      }
      append(request, in: zone)
    }

    private mutating func append(_ request: SaveRequest, in zone: ZoneID) {
      items.append(ModifyRequest.Item(.save(request), in: zone))
      var draft = RecordDraft()
      (draft.name, draft.type) = (request.name?.text, request.type.text)
      (draft.parent, draft.changeTag) = (request.parent?.text, request.tag?.text)
      draft.removesParent = request.removesParent && !replacesFields
      let types = open.typesByField(of: request.type)
      draft.fields = request.assignments.map { assignment in
        .init(
          assignment.name, assignment.value, type: assignment.type ?? types[assignment.name],
          at: draft.position)
      }
      note(draft, in: zone)
    }

    private mutating func note(_ draft: RecordDraft, in zone: ZoneID) {
      guard var lines else { return }
      if lines.last?.zone != zone { lines.append((zone, [])) }
      lines[lines.count - 1].text.append(draft)
      lines[lines.count - 1].text.append(UInt8(ascii: "\n"))
      let size = lines.reduce(0) { $0 + $1.text.count }
      self.lines = size <= Self.mostBytes && staged.isEmpty ? lines : nil
    }

    /// Saves and deletes the records, each on its own. Throws `CloudError` for errors of the whole
    /// operation.
    func save() throws -> ModifyResult {
      var request = ModifyRequest(items, isAtomic: false)
      request.isLimited = false
      return try open.database.modify(request)
    }

    /// Discards the contents that no record kept.
    func discardUnused() { staged.forEach(open.database.environment.discard) }

    /// The equivalent command; nil if it would be too long, or needs the contents of assets.
    var command: String? {
      lines?.map { zone, text in
        var place = open.place
        place.zone = zone
        let options =
          ["--from", "-", "--policy", policy.rawValue] + (replacesFields ? ["--replace"] : [])
          + ["--no-atomic"]
        let records = String(decoding: text, as: UTF8.self)
        let line = place.command(["record", "save"], options: options)
        return "printf %s \(records.shellWord) | \(line)"
      }.joined(separator: "\n")
    }
  }
#endif
