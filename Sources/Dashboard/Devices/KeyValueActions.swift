#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  /// The actions on keys of devices.
  enum KeyValueActions {
    static let all = [set, sync, resolve]

    static let set = Action(
      name: "kvs-set", summary: "Set a key on a device, or remove it", verb: "kvs set"
    ) { request in
      let side = try DeviceSide(request, on: request.form.text("on"))
      let keys = try keys(side)
      let key = request.form["key"] ?? ""
      let type = request.form["type"] ?? ""
      guard type != "remove" else {
        try keys.set([(key, nil)])
        return request.done(
          "Removed \(key) on \(side.device.name)", line: line(side, setting: key, nil))
      }
      guard let kind = PropertyListValue.Kind(rawValue: type) else {
        throw CloudError(.invalidArguments, "Unknown type")
      }
      let value = try value(request.form["value"] ?? "", kind)
      try keys.set([(key, value)])
      return request.done(
        "Set \(key) on \(side.device.name)", line: line(side, setting: key, value))
    }

    static let sync = Action(
      name: "kvs-sync", summary: "Sync the keys of devices", verb: "kvs sync"
    ) { request in
      let side = try DeviceSide(request)
      let keys = try keys(side)
      guard request.form["all"] == nil else {
        let results = try keys.synchronizeAll()
        let notes = results.map { "\($0.device.name): \(words($0.result))" }
        let areAll = results.allSatisfy(\.result.isSynchronized)
        return request.done(
          areAll ? "Synced all devices" : "Not all devices could sync", notes: notes,
          line: side.line(["kvs", "sync", "--all-devices"]))
      }
      let result = try keys.synchronize()
      return request.done(
        "\(side.device.name): \(words(result))", line: side.line(["kvs", "sync"]))
    }

    static let resolve = Action(
      name: "kvs-resolve", summary: "Decide a conflict of a key", verb: "kvs set"
    ) { request in
      let side = try DeviceSide(request)
      let keys = try keys(side)
      let key = request.form["key"] ?? ""
      let keep = request.form["keep"] ?? ""
      guard ["mine", "theirs"].contains(keep) else {
        throw CloudError(.invalidArguments, "Unknown side")
      }
      let isMine = keep == "mine"
      let mine = try keys.value(key)
      // Afterwards the device has what iCloud keeps, whichever value wins.
      let overview = try side.open.store.keyValueOverview(
        of: side.open.database.namedAccount(), in: side.open.place.container,
        for: side.open.request)
      let theirs = overview.inCloud.first { utf8Equal($0.key, key) }?.value
      let kept = isMine ? mine : theirs
      try synchronize(keys, side)
      try keys.set([(key, kept)])
      try synchronize(keys, side)
      let setting = line(side, setting: key, kept)
      let sync = side.line(["kvs", "sync"])
      return request.done(
        "\(key) has the value of \(isMine ? side.device.name : "iCloud")",
        notes: ["Other devices get it with their next sync"],
        line: setting.map { "\(sync) && \($0) && \(sync)" })
    }

    // MARK: Parts

    private static func keys(_ side: DeviceSide) throws(CloudError) -> KeyValueStore {
      try side.open.store.keyValueStore(side.open.place.container, for: side.request)
    }

    /// The line that sets or removes a key; nil if a command cannot name the key or the value.
    private static func line(
      _ side: DeviceSide, setting key: String, _ value: PropertyListValue?
    ) -> String? {
      guard let value else { return side.line(["kvs", "remove"], [key]) }
      guard !key.utf8.contains(UInt8(ascii: "=")), let word = value.word else { return nil }
      return side.line(["kvs", "set"], ["\(key):\(word)"])
    }

    /// Synchronizes a device. Throws `networkUnavailable` if it cannot sync now.
    private static func synchronize(_ keys: KeyValueStore, _ side: DeviceSide) throws {
      let result = try keys.synchronize()
      guard result.isSynchronized else {
        throw CloudError(.networkUnavailable, "\(side.device.name) \(words(result))")
      }
    }

    private static func words(_ result: KeyValueSynchronization) -> String {
      guard result.isSynchronized else {
        return result.throttledFor.map { "must wait \(Double($0) / 1000) s before it can sync" }
          ?? "cannot sync now"
      }
      let parts =
        ["\(result.sent) sent", "\(result.received) received"]
        + (result.conflicts > 0 ? [result.conflicts.counted("conflict")] : [])
        + (result.rejected > 0 ? ["\(result.rejected) over the quota"] : [])
      return parts.joined(separator: ", ")
    }

    /// Parses a value. Throws `invalidArguments`.
    private static func value(
      _ text: String, _ kind: PropertyListValue.Kind
    ) throws(CloudError) -> PropertyListValue {
      let value: PropertyListValue? =
        switch kind {
        case .string: .string(text)
        case .integer: Int64(text).map { .integer($0) }
        case .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .bool: ["true": true, "false": false][text].map { .bool($0) }
        case .date: Timestamp(text).map { .date($0) }
        case .data: Base64.decode(text).map { .data($0) }
        case .array, .dictionary:
          (try? JSONParser.parse(text)).flatMap { PropertyListValue(plain: $0) }
            .flatMap { $0.kind == kind ? $0 : nil }
        }
      guard let value else {
        throw CloudError(
          .invalidArguments, "'\(text.visible)' is not a valid \(kind.rawValue)")
      }
      return value
    }
  }

  extension PropertyListValue {
    /// The type and the value as `kvs set` takes them; nil for a value that JSON does not have.
    fileprivate var word: String? {
      switch self {
      case .string(let text): "string=\(text)"
      case .integer(let number): "int=\(number)"
      case .unsigned(let number): "int=\(number)"
      case .double(let number): "double=\(number)"
      case .bool(let isTrue): "bool=\(isTrue)"
      case .date(let time): "date=\(time.text)"
      case .data(let bytes): "data=\(Base64.encode(bytes))"
      case .array, .dictionary:
        PropertyListValue(plain: plain) == self ? "\(kind.rawValue)=\(plain.text)" : nil
      }
    }
  }
#endif
