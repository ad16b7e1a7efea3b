#if Server
  internal import CloudModel
  internal import CloudServices

  /// The pages of a place, by the rest of their path.
  struct PlacePages {
    private let open: OpenPlace
    private let query: FormFields

    init(_ open: OpenPlace, _ query: FormFields) { (self.open, self.query) = (open, query) }

    /// The page of a path. Throws `unknownItem` if there is none.
    func answer(_ rest: [String]) throws -> DashboardAnswer {
      switch (rest[0], rest.count) {
      case ("records", 1): .page(try PlainPages.types(open))
      case ("records", 2):
        .page(try RecordsPage(open, RecordType(stored: rest[1]), query).html())
      case ("record", 2): .page(try RecordPage.html(open, RecordName(stored: rest[1])))
      case ("new", 1): .page(try RecordForm(open, newOf: nil).html())
      case ("new", 2): .page(try RecordForm(open, newOf: RecordType(rest[1])).html())
      case ("edit", 2): .page(try edit(RecordName(stored: rest[1])))
      case ("import", 1): .page(try ImportPage.html(open, type: query["type"] ?? ""))
      case ("export", 2): try ExportFile.answer(open, RecordType(stored: rest[1]), query)
      case ("names", 1): try NamesAnswer.answer(open, query["prefix"] ?? "")
      case ("asset", 4):
        try AssetPage.answer(
          open, Array(rest[1...]), asPicture: query["use"] == "picture")
      case ("people", 1): .page(try PeoplePage(open).html())
      case ("share", 2): .page(try SharePage(open, RecordName(stored: rest[1])).html())
      case ("access", 2): .page(try AccessPage.html(open, RecordName(stored: rest[1])))
      case ("faults", 1): .page(try FaultsPage(open).html())
      case ("kvs", 1): .page(try KeyValuesPage(open).html())
      case ("documents", 1): .page(try DocumentsPage(open).html())
      case ("snapshots", 1): .page(try SnapshotsPage(open).html())
      case ("compare", 1): .page(try ComparePage(open, query).html())
      case ("usage", 1): .page(try UsagePage(open).html())
      case ("live", 1): .page(try LivePage(open, query).html())
      case ("request", 2): .page(try RequestPage(open, rest[1]).html())
      case ("schema", 1): .page(try SchemaPage.html(open))
      case ("schema", 2) where rest[1] == "text": .page(try SchemaTextPage.html(open))
      default: throw CloudError.noPage
      }
    }

    private func edit(_ name: RecordName) throws -> HTML {
      try RecordForm(open, editing: RecordPage.record(name, at: open)).html()
    }
  }
#endif
