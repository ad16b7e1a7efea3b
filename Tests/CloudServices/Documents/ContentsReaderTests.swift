internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

@Suite struct ContentsReaderTests {
  private func copy(_ asset: Asset, of fixture: CloudFixture) throws -> String {
    var bytes: [UInt8] = []
    try fixture.store.documentFiles(in: fixture.container, for: fixture.request)
      .copy(asset) { bytes.append(contentsOf: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("M8: the contents of a document stay until the last reader is done")
  func reading() throws {
    let fixture = try CloudFixture()
    let (store, container) = (fixture.store, fixture.container)
    var request = fixture.request
    (request.account, request.device) = (Account(stored: "ann"), Device(stored: "mac"))
    let documents = try store.documentStore(container, for: request)
    let path = try DocumentPath("Documents/a")
    try documents.put(Array("hello".utf8), at: path)
    let data = try store.documentData(of: Account(stored: "ann"), in: container, for: request)
    let asset = try #require(data.first?.files.first?.asset)
    try store.holdingDocuments(in: container, for: request) {
      try documents.put(Array("other".utf8), at: path)
      #expect(try copy(asset, of: fixture) == "hello")
    }
    #expect(try store.collectDocumentContents(in: container, for: request).bytes == 5)
    #expect(throws: CloudError.self) { try copy(asset, of: fixture) }
    try documents.put(Array("third".utf8), at: path)
    let left = try store.collectDocumentContents(in: container, for: request)
    #expect(left.count == 0, "without a reader the save has removed them")
  }
}
