#if Server
  internal import CloudModel

  extension Endpoint {
    /// The outcome of an item. What concerns the whole request is thrown.
    static func item<T>(_ work: () throws -> T) throws -> Result<T, CloudError> {
      do { return .success(try work()) } catch let error as CloudError where error.concernsItem {
        return .failure(error)
      }
    }
  }
#endif
