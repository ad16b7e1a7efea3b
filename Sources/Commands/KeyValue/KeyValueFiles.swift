internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs
internal import WireFormat

/// `ckdb kvs export` and `ckdb kvs import FILE`
enum KeyValueFiles {
  private static let plist = Flag("plist", "Print an XML property list")
  private static let file = Operand("FILE", .file, "JSON with types, or a property list")
  private static let replaces = Flag("replace", "Remove the keys that the file does not contain")

  static var export: Command<Context> {
    Command(
      options: [AnyOption(plist), AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Prints the keys of the device with their values, as JSON in which each value has its type \
        ({"level":{"integer":13}}), or with --plist as an XML property list, whose dates have \
        whole seconds.
        """,
      examples: [
        .init("Print all keys", "ckdb kvs export"),
        .init("Print them as a property list", "ckdb kvs export --plist"),
      ]
    ) { arguments, context in
      let values = try KeyValueNoun.open(arguments, context).entries().compactMap { entry, _ in
        entry.value.map { PropertyListValue.Member(entry.key, $0) }
      }
      if arguments[plist] {
        let text: PropertyListText
        do throws(PlacedValueError) { text = try PropertyListText(values) } catch {
          throw CommandError(error.message, .data, hint: "export as JSON: leave out --plist")
        }
        context.output.buffer += Array(text.text.utf8)
        if text.roundedDates > 0 {
          context.warn(
            "\(text.roundedDates.counted("date")) lost the fraction of a second, which property "
              + "lists cannot store; JSON keeps it")
        }
      } else {
        context.output.line(KeyValueJSON.object(values).text)
      }
    }
  }

  static var `import`: Command<Context> {
    Command(
      operands: [AnyOperand(file)],
      options: [
        AnyOption(replaces), AnyOption(KeyValueNoun.auto), AnyOption(KeyValueNoun.storeID),
      ],
      discussion:
        """
        Sets the keys of a file on the device, all or none. - is standard input. A property list \
        may be XML or binary, and may be a Mac's file in ~/Library/SyncedPreferences, whose values \
        are read.
        """,
      examples: [.init("Set the keys of a file", "ckdb kvs import keys.json")]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      let path = arguments.required(file)
      let members = try values(in: KeyAssignment.contents(of: path, context), path)
      var values: [(key: String, value: PropertyListValue?)] = members.map { ($0.key, $0.value) }
      if arguments[replaces] {
        let known = Set(members.map { Array($0.key.utf8) })
        values += try store.entries().map(\.entry.key).filter { !known.contains(Array($0.utf8)) }
          .map { ($0, nil) }
      }
      try store.set(values)
      try KeyValueNoun.synchronizeIfWanted(store, context)
      KeyValueSet.report(values, context)
    }
  }

  /// The keys of a file in either format. Throws `CommandError` with the position of the fault.
  static func values(in bytes: [UInt8], _ path: String) throws -> [PropertyListValue.Member] {
    func fault(_ message: String, _ offset: Int?) -> CommandError {
      let place = offset.map { offset in
        bytes.withUnsafeBytes { bytes -> String in
          var places = TextPlaces(bytes, TextPosition(line: 1, column: 1))
          let position = places.position(offset)
          return ":\(position.line):\(position.column)"
        }
      }
      let path = path == "-" ? "standard input" : path
      return CommandError("\(path)\(place ?? ""): \(message)", .data)
    }
    do {
      if PropertyListText.isOne(bytes) { return try PropertyListText.values(bytes) }
      let json = try bytes.withUnsafeBytes { (bytes) throws(JSONError) in
        try JSONParser.parse(bytes)
      }
      let values = try KeyValueJSON.values(json)
      guard case .dictionary(let unique) = PropertyListValue.dictionary(of: values),
        unique.count == values.count
      else { throw fault("a key appears twice", nil) }
      return values
    } catch let error as any NotationError {
      throw fault(error.message, error.offset)
    } catch let error as PlacedValueError {
      throw fault(error.message, error.offset)
    }
  }
}
