import CloudKitTesting
import Combine
import Contacts
import XCTest

/// Code that imports `os.log` and `Combine` runs on Linux as it is.
final class ContactsTests: XCTestCase {
  func testTwoDevices() async throws {
    let cloud = try LocalCloud()
    let app = "iCloud.org.example.contacts"
    let phone = ContactBook(
      cloud.container(app, account: "ann", device: "phone").privateCloudDatabase)
    let pad = ContactBook(cloud.container(app, account: "ann", device: "pad").privateCloudDatabase)
    var seen: [Int] = []
    let observing = pad.$names.sink { seen.append($0.count) }

    phone.set("Bob", of: "b")
    phone.set("Cid", of: "c")
    try await phone.syncEngine.sendChanges()
    try await pad.syncEngine.fetchChanges()
    XCTAssertEqual(pad.names, ["b": "Bob", "c": "Cid"])
    XCTAssertEqual(seen.last, 2)

    pad.set("Bobby", of: "b")
    try await pad.syncEngine.sendChanges()
    try await phone.syncEngine.fetchChanges()
    XCTAssertEqual(phone.names["b"], "Bobby")
    observing.cancel()
  }
}
