internal import Testing

/// The code in the pages is code that tests run (DS10).
@Suite("Documented code")
struct DocumentedCodeTests {
  @Test("DS10: each block of Swift in docs/swift.md is in the tests, line by line")
  func blocks() throws {
    let sources = (SourceFile.all(in: "Tests/Client") + SourceFile.all(in: "Tests/CloudKitTesting"))
      .map { "\n" + $0.lines.map(Self.trimmed).joined(separator: "\n") + "\n" }
    let blocks = Self.blocks(of: Directory.contents("\(SourceFile.root)/docs/swift.md"))
    #expect(blocks.count > 8)
    for block in blocks {
      if block.contains("swift-tools-version") {
        // The manifest of a user, who has fewer packages than the tests: its products are ours.
        let products = block.matches(of: /\.product\(name: "(\w+)", package: "(\w+)"/)
        #expect(products.count >= 2)
        for product in products {
          let isOurs = product.2 == "ckdb"
          let manifest = isOurs ? "Package.swift" : "Tests/\(product.2)/Package.swift"
          let text = Directory.contents("\(SourceFile.root)/\(manifest)")
          #expect(text.contains(".library(name: \"\(product.1)\""), "no product \(product.1)")
        }
      } else {
        #expect(sources.contains { $0.contains("\n\(block)\n") }, "not in the tests: \(block)")
      }
    }
  }

  private static func trimmed(_ line: some StringProtocol) -> String {
    String(line.drop { $0 == " " })
  }

  /// The blocks of Swift of a page, without indentation.
  private static func blocks(of page: String) -> [String] {
    var blocks: [String] = []
    var block: [String]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```swift" {
        block = []
      } else if line == "```", let lines = block {
        blocks.append(lines.joined(separator: "\n"))
        block = nil
      } else {
        block?.append(trimmed(line))
      }
    }
    return blocks
  }
}
