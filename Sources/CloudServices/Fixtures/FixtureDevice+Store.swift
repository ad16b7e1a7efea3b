internal import Basics
internal import CloudModel
internal import StoreHome

extension FixtureDevice: StoredFixtureEntry {
  static func all(in directory: ShareDirectory) -> [FixtureDevice] {
    directory.people.devices.sorted { utf8Precedes($0.key, $1.key) }.map {
      FixtureDevice(Device(stored: $0.key), $0.value)
    }
  }

  func loadBeforeRecords(_ loading: inout FixtureEntryLoading) {
    loading.people.devices[device.name] = settings
  }
}
