import RunicCore

extension LogSearch {
  /// Looks where a command looks, on this machine.
  ///
  /// - Throws: what is wrong with the zone that TZ names: days told in another one would be wrong days.
  convenience init(_ context: Context) throws {
    let environment = context.environment
    let zone = try ZoneChoice.local(environment)
    self.init(fileSystem: context.fileSystem, zone: zone) { environment[$0] }
  }
}
