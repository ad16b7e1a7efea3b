import Basics
import Testing

/// XML as far as models and property lists need it (XML 1.0).
@Suite("XML")
struct XMLScannerTests {
  /// The first tag of a text.
  private static func tag(_ text: String) throws -> XMLScanner.Tag {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var scanner = XMLScanner(bytes)
      try scanner.skipProlog()
      return try scanner.openingTag()
    }
  }

  private static func message(_ text: String) throws -> (String, Int) {
    let error = try #require(throws: XMLError.self) { try tag(text) }
    return (error.message, error.offset)
  }

  @Test(
    "values of attributes: both quotes, entities, and §3.3.3: line ends and tabs become blanks",
    arguments: [
      ("<a b='1'/>", "1"), ("<a b=\"'\"/>", "'"), ("<a b='\"'/>", "\""), ("<a b = '1' />", "1"),
      ("<a b='&lt;&amp;&gt;&quot;&apos;'/>", "<&>\"'"), ("<a b='&#65;&#x42;&#10;'/>", "AB\n"),
      ("<a b='1\t2\r\n3\r4\n5'/>", "1 2 3 4 5"), ("<a b='é😀'/>", "é😀"), ("<a b=''/>", ""),
      ("\u{FEFF}<a b='1'/>", "1"), ("<a\n\tb='1'\r\n/>", "1"),
    ])
  func attributes(text: String, value: String) throws {
    #expect(try Self.tag(text)["b"] == value)
  }

  @Test("a document type is skipped with what it declares, and declares nothing")
  func documentType() throws {
    let texts = [
      "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM '>'>", "<!DOCTYPE a [<!ENTITY e ']>'>]>",
      "<!DOCTYPE a [<!-- ]> ' --><!ENTITY e \"]>\"> <?x ]> ?>]  >",
    ]
    for text in texts { #expect(try Self.tag(text + "<a/>").name == "a", "\(text)") }
    #expect(
      try Self.message("<!DOCTYPE a [<!ENTITY e 'x'>]><a b='&e;'/>").0 == "unknown entity &e;")
    #expect(try Self.message("<!DOCTYPE a [").0 == "the document type is not closed")
  }

  @Test("an error is at the byte that is wrong")
  func errors() throws {
    #expect(try Self.message("<a b='1'c='2'/>") == ("expected a blank before the attribute", 8))
    #expect(try Self.message("<a b='1' b='2'/>") == ("the attribute 'b' appears twice", 9))
    #expect(try Self.message("<a b='1>") == ("the value of 'b' is not closed", 3))
    #expect(try Self.message("<a b/>").1 == 3)
    #expect(try Self.message("<a b='\u{1}'/>").0.contains("control character"))
    #expect(try Self.message("<a") == ("<a is not closed", 0))
  }

  @Test("a tag with many attributes is read in linear time: a quadratic scan would not end")
  func manyAttributes() throws {
    let attributes = (0..<200_000).map { "a\($0)=''" }.joined(separator: " ")
    #expect(try Self.tag("<a \(attributes)/>").attributes.count == 200_000)
  }
}
