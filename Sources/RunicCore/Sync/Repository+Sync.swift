import ObjectStore

extension Repository {
  /// Brings in what a remote has.
  public func pull(_ name: String, strategy: MergeStrategy? = nil) throws -> SyncOutcome {
    let setting = try configuration.remote(name)
    return try pull(from: try remote(setting), named: name, strategy: strategy)
  }

  /// The same, from a remote that the caller opened.
  public func pull(
    from remote: any Remote, named name: String, strategy: MergeStrategy? = nil
  ) throws -> SyncOutcome {
    try Pull(self, from: remote, named: name, strategy: strategy ?? configuration.strategy).run()
  }

  /// Brings a remote what this device holds and the remote lacks.
  public func push(_ name: String, options: PushOptions = PushOptions()) throws -> SyncOutcome {
    let setting = try configuration.remote(name)
    return try push(to: try remote(setting), named: name, options: options)
  }

  /// The same, to a remote that the caller opened.
  public func push(
    to remote: any Remote, named name: String, options: PushOptions = PushOptions()
  ) throws -> SyncOutcome {
    try Push(self, to: remote, named: name, options: options).run()
  }

  /// A pull, then a push, as one outcome.
  public func sync(
    with remote: any Remote, named name: String, strategy: MergeStrategy? = nil, own: Bool = false
  ) throws -> SyncOutcome {
    let pulled = try pull(from: remote, named: name, strategy: strategy)
    return try push(to: remote, named: name, options: PushOptions(own: own)).after(pulled)
  }
}
