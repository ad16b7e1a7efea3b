internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import CoreDataModel
internal import PredicateLanguage
internal import SchemaLanguage
internal import WireFormat

/// Readers of a single text.
enum TextTargets {
  static func predicate(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let predicate = try? PredicateParser.parse(text) else { return }
    let printed = predicate.text
    guard let again = try? PredicateParser.parse(printed) else {
      return FuzzTarget.law(false, "printed as '\(printed)', which is not understood")
    }
    FuzzTarget.law(again.text == printed, "printed as '\(printed)', then as '\(again.text)'")
  }

  static func json(_ bytes: [UInt8]) {
    guard let value = bytes.withUnsafeBytes({ try? JSONParser.parse($0) }) else { return }
    let text = value.text
    guard let again = try? JSONParser.parse(text) else {
      return FuzzTarget.law(false, "written as \(text), which is not understood")
    }
    FuzzTarget.law(again.text == text, "written as \(text), then as \(again.text)")
    let isSkipped = bytes.withUnsafeBytes { bytes -> Bool in
      guard var walker = try? JSONParser(walking: bytes) else { return false }
      return (try? walker.skip()) != nil && (try? walker.end()) != nil
    }
    FuzzTarget.law(isSkipped, "\(text) is skipped otherwise than it is parsed")
  }

  static func words(_ bytes: [UInt8]) {
    var splitter = WordSplitter()
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let commands = splitter.take(line: String(decoding: line, as: UTF8.self))
      for words in commands {
        FuzzTarget.law(!words.isEmpty, "a command without words")
        // Quoted words read back as the same words.
        let quoted = words.map { word in
          // Compares bytes: an apostrophe with a mark over it is another character.
          let parts = word.utf8.split(separator: 0x27, omittingEmptySubsequences: false)
          return "'" + parts.map { String($0) ?? "" }.joined(separator: "'\\''") + "'"
        }
        var other = WordSplitter()
        let lines = quoted.joined(separator: " ")
          .split(separator: "\n", omittingEmptySubsequences: false)
        var again: [[String]] = []
        for line in lines { again += other.take(line: String(line)) }
        FuzzTarget.law(again == [words], "\(words) in quotes is \(again)")
      }
    }
  }

  static func cursor(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let cursor = QueryCursor(text: text) else { return }
    let written = cursor.text
    FuzzTarget.law(QueryCursor(text: written)?.text == written, "\(text) is \(written)")
  }

  static func token(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let token = ChangeToken(text: text) else { return }
    FuzzTarget.law(ChangeToken(text: token.text) == token, "\(text) is \(token.text)")
  }
}

extension TextTargets {
  static func schema(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let schema: Schema
    do throws(SchemaError) { schema = try SchemaParser.parse(text) } catch {
      let lines = text.unicodeScalars.split(omittingEmptySubsequences: false) {
        $0 == "\n" || $0 == "\r"
      }
      let isThere = (1...lines.count).contains(error.position.line) && error.position.column >= 1
      return FuzzTarget.law(isThere, "\(error.position) is not in the text")
    }
    let printed = SchemaPrinter.text(schema)
    FuzzTarget.law((try? SchemaParser.parse(printed)) == schema, "printed as \(printed)")
  }

  static func model(_ bytes: [UInt8]) {
    let model: ManagedObjectModel
    do throws(ModelError) { model = try ModelParser.parse(bytes) } catch {
      let lines = bytes.count { $0 == 0x0A } + 1
      let isThere = error.position.map { (1...lines).contains($0.line) && $0.column >= 1 }
      return FuzzTarget.law(isThere == true, "\(error) is not in the text")
    }
    guard let mirror = try? MirroredModel(model) else { return }
    _ = MirroringChecker.findings(in: mirror).map(\.message)
    for shape in MirroredModel.Shape.allCases {
      let schema = mirror.schema(shape)
      let printed = SchemaPrinter.text(schema)
      FuzzTarget.law((try? SchemaParser.parse(printed)) == schema, "printed as \(printed)")
    }
  }
}
