import CloudKit
import CloudKitTesting
import Testing

/// The samples of Apple's documents on records, in Apple's words: artwork and artists, employees
/// and restaurants.
@Suite("CloudKit: Apple's samples")
struct AppleSamplesTests {
  let cloud: LocalCloud
  let myContainer: CKContainer

  init() throws {
    cloud = try LocalCloud()
    myContainer = cloud.container("iCloud.com.example.gallery")
  }

  @Test("creating and saving a record (CloudKit Quick Start)")
  func saving() async throws {
    let artworkRecordID = CKRecord.ID(recordName: "115")
    let artworkRecord = CKRecord(recordType: "Artwork", recordID: artworkRecordID)
    artworkRecord["title"] = "MacKerricher State Park" as NSString
    artworkRecord["artist"] = "Mei Chen" as NSString
    artworkRecord["address"] = "Fort Bragg, CA" as NSString
    let publicDatabase = myContainer.publicCloudDatabase
    await withCheckedContinuation { continuation in
      publicDatabase.save(artworkRecord) { (record, error) in
        #expect(error == nil && record === artworkRecord)
        continuation.resume()
      }
    }

    // Fetching by identity, and changing it.
    await withCheckedContinuation { continuation in
      publicDatabase.fetch(withRecordID: artworkRecordID) { (artworkRecord, error) in
        guard let artworkRecord else {
          Issue.record("not fetched: \(String(describing: error))")
          return continuation.resume()
        }
        let date = Date(timeIntervalSince1970: 1_000)
        artworkRecord["date"] = date as NSDate
        publicDatabase.save(artworkRecord) { (savedRecord, saveError) in
          #expect(saveError == nil && savedRecord?["date"] as? Date == date)
          continuation.resume()
        }
      }
    }
  }

  @Test("querying with a predicate, and with a tokenized search (CKQuery)")
  func querying() async throws {
    let publicDatabase = myContainer.publicCloudDatabase
    for (title, artist) in [("Bay at Dusk", "Mei Chen"), ("Morning", "Anne"), ("Dusk", "Mei Chen")]
    {
      let artwork = CKRecord(recordType: "Artwork")
      artwork["title"] = title
      artwork["artist"] = artist
      try await publicDatabase.save(artwork)
    }
    let predicate = NSPredicate(format: "artist = %@", "Mei Chen")
    let query = CKQuery(recordType: "Artwork", predicate: predicate)
    let (matches, _) = try await publicDatabase.records(matching: query)
    #expect(matches.count == 2)
    let words = NSPredicate(format: "self contains %@", "dusk")
    let (found, _) = try await publicDatabase.records(
      matching: CKQuery(recordType: "Artwork", predicate: words))
    #expect(found.count == 2)
    let beginning = NSPredicate(format: "title BEGINSWITH %@", "Bay")
    let (begun, _) = try await publicDatabase.records(
      matching: CKQuery(recordType: "Artwork", predicate: beginning))
    #expect(begun.count == 1)
  }

  @Test("batches with cursors and desired keys (CKQueryOperation)")
  func cursors() async throws {
    let database = myContainer.privateCloudDatabase
    for number in 1...7 {
      let artwork = CKRecord(recordType: "Artwork", recordID: CKRecord.ID(recordName: "a\(number)"))
      artwork["title"] = "Title \(number)"
      artwork["year"] = 1900 + number
      try await database.save(artwork)
    }
    let query = CKQuery(recordType: "Artwork", predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
    var fetched: [CKRecord] = []
    var next: CKQueryOperation? = CKQueryOperation(query: query)
    while let queryOperation = next {
      queryOperation.desiredKeys = ["title"]
      queryOperation.resultsLimit = 3
      next = await withCheckedContinuation { continuation in
        queryOperation.recordMatchedBlock = { _, result in
          if let record = try? result.get() { fetched.append(record) }
        }
        queryOperation.queryResultBlock = { result in
          let cursor = try? result.get()
          continuation.resume(returning: cursor.flatMap { $0 }.map { CKQueryOperation(cursor: $0) })
        }
        database.add(queryOperation)
      }
    }
    #expect(fetched.map(\.recordID.recordName) == (1...7).map { "a\($0)" })
    #expect(fetched[0]["title"] as? String == "Title 1" && fetched[0]["year"] == nil)
  }

  @Test("location fields: saving a place, and what is near it (CloudKit Quick Start)")
  func location() async throws {
    let database = myContainer.publicCloudDatabase
    let places = ["Near": (39.43, -123.81), "Far": (37.77, -122.42)]
    for (name, (latitude, longitude)) in places {
      let park = CKRecord(recordType: "Park")
      park["name"] = name
      park["location"] = CLLocation(latitude: latitude, longitude: longitude)
      try await database.save(park)
    }
    let fixedLocation = CLLocation(latitude: 39.43, longitude: -123.8)
    let radius: CGFloat = 100_000
    let predicate = NSPredicate(
      format: "distanceToLocation:fromLocation:(location, %@) < %f", fixedLocation, radius)
    let (near, _) = try await database.records(
      matching: CKQuery(recordType: "Park", predicate: predicate))
    #expect(try near.map { try $0.1.get()["name"] } == ["Near"])
    let query = CKQuery(recordType: "Park", predicate: NSPredicate(value: true))
    query.sortDescriptors = [
      CKLocationSortDescriptor(key: "location", relativeLocation: fixedLocation)
    ]
    let (sorted, _) = try await database.records(matching: query)
    #expect(try sorted.map { try $0.1.get()["name"] } == ["Near", "Far"])
  }

  @Test("references: from an artwork to its artist, and what deleting the artist does")
  func references() async throws {
    let database = myContainer.privateCloudDatabase
    let artistRecordID = CKRecord.ID(recordName: "Mei Chen")
    let artistRecord = CKRecord(recordType: "Artist", recordID: artistRecordID)
    try await database.save(artistRecord)
    for number in 1...2 {
      let artworkRecord = CKRecord(
        recordType: "Artwork", recordID: CKRecord.ID(recordName: "w\(number)"))
      let artistReference = CKRecord.Reference(
        recordID: artistRecordID, action: CKRecord.ReferenceAction.deleteSelf)
      artworkRecord["artist"] = artistReference
      try await database.save(artworkRecord)
    }
    let recordToMatch = CKRecord.Reference(recordID: artistRecordID, action: .deleteSelf)
    let predicate = NSPredicate(format: "artist == %@", recordToMatch)
    let query = CKQuery(recordType: "Artwork", predicate: predicate)
    #expect(try await database.records(matching: query).matchResults.count == 2)
    try await database.deleteRecord(withID: artistRecordID)
    #expect(try await database.records(matching: query).matchResults.isEmpty)
  }

  @Test("assets: an image as a file (CKAsset)")
  func assets() async throws {
    let database = myContainer.privateCloudDatabase
    let resourceURL = FileManager.default.temporaryDirectory.appendingPathComponent(
      "\(UUID().uuidString).jpg")
    try Data([0xFF, 0xD8]).write(to: resourceURL)
    let imageAsset = CKAsset(fileURL: resourceURL)
    let artworkRecord = CKRecord(recordType: "Artwork")
    artworkRecord["image"] = imageAsset
    try await database.save(artworkRecord)
    let fetched = try await database.record(for: artworkRecord.recordID)
    let asset = try #require(fetched["image"] as? CKAsset)
    #expect(try Data(contentsOf: #require(asset.fileURL)) == Data([0xFF, 0xD8]))
  }

  @Test("save policies of an operation (CKModifyRecordsOperation)")
  func policies() async throws {
    let database = myContainer.privateCloudDatabase
    let id = CKRecord.ID(recordName: "employee")
    let record = CKRecord(recordType: "Employee", recordID: id)
    record["firstName"] = "Mei"
    record["hiredAt"] = Date(timeIntervalSince1970: 0) as NSDate
    try await database.save(record)
    let stale = CKRecord(recordType: "Employee", recordID: id)
    stale["firstName"] = "Anne"
    func save(_ policy: CKModifyRecordsOperation.RecordSavePolicy) async -> (any Error)? {
      await withCheckedContinuation { continuation in
        let operation = CKModifyRecordsOperation(recordsToSave: [stale], recordIDsToDelete: nil)
        operation.savePolicy = policy
        operation.modifyRecordsResultBlock = { result in
          if case .failure(let error) = result {
            continuation.resume(returning: error)
          } else {
            continuation.resume(returning: nil)
          }
        }
        database.add(operation)
      }
    }
    let failure = await save(.ifServerRecordUnchanged) as? CKError
    let item = failure?.partialErrorsByItemID?[id] as? CKError
    #expect(item?.code == .serverRecordChanged && item?.serverRecord?["firstName"] == "Mei")
    #expect(await save(.changedKeys) == nil)
    let fetched = try await database.record(for: id)
    #expect(fetched["firstName"] == "Anne")
    #expect(fetched["hiredAt"] as? Date == Date(timeIntervalSince1970: 0))
  }
}
