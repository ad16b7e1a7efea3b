internal import Basics
public import CloudModel
internal import FieldCodecs

/// The dictionary of a query in Web Services: `recordType`, `filterBy`, `sortBy`.
public struct WireQuery: Sendable {
  /// The type.
  public let type: RecordType
  /// The predicate that all filters make.
  public let predicate: Predicate
  /// The sort keys.
  public let sort: [SortKey]

  /// Reads a query. Throws `invalidArguments`.
  public init(_ object: WireObject) throws(CloudError) {
    let name = try object.requiredText("recordType")
    type = try object.checked("recordType") { () throws(CloudError) in
      try RecordType(schemaName: name)
    }
    let filters = try object.objects("filterBy")?.map { JSONValue.object($0.members) } ?? []
    let sorts = try object.objects("sortBy") ?? []
    do throws(ValueReadingError) { predicate = try QueryFilter.predicate(filters) } catch {
      throw .badRequest("\(object.path("filterBy")): \(error.message)")
    }
    sort = try sorts.map { (sort) throws(CloudError) in
      let key: String
      do throws(ValueReadingError) {
        key = try QueryFilter.key(.object(sort.members), of: "a sort")
      } catch { throw .badRequest("\(sort.path): \(error.message)") }
      var origin: Location?
      if let place = sort["relativeLocation"] {
        guard case .location(let location)? = FieldType.Base.location.value(wire: place) else {
          throw sort.fault("relativeLocation", mustBe: "a location")
        }
        origin = location
      }
      return SortKey(key, isAscending: try sort.flag("ascending") ?? true, origin: origin)
    }
  }
}
