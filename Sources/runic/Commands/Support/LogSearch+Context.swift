import RunicCore

extension LogSearch {
  /// Looks where a command looks, on this machine.
  convenience init(_ context: Context) {
    let environment = context.environment
    // Whoever only collects is not to be told that TZ is wrong.
    let zone = try? ZoneFinder(folder: environment["TZDIR"], read: System.file)
      .local(variable: environment["TZ"], localName: System.link(ZoneFinder.localFile))
    self.init(fileSystem: context.fileSystem, zone: zone.flatMap { $0 } ?? .utc) { environment[$0] }
  }
}
