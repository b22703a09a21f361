/// `runic.7`: the words that the other pages take for granted.
enum Concepts {
  static let page = ManualPage(
    name: "runic", title: "runic", volume: 7,
    summary: "what runic stores, how it merges and what it promises", synopsis: [],
    sections: [
      .init(title: "words", blocks: ManualPage.terms(words)), section("how records merge", merging),
      section("deletes", deletes), section("conflicts", conflicts), section("remotes", remotes),
      section("keys and passphrases", keys), section("hooks", hooks),
      section("what is promised", promises), section("when things go wrong", failures),
      section("values and times", values),
    ])

  private static func section(_ title: String, _ paragraphs: [String]) -> ManualPage.Section {
    .init(title: title, blocks: paragraphs.map(ManualPage.Block.paragraph))
  }

  private static let words = [
    ("record", "a kind, an id and a payload, which is one JSON object"),
    (
      "kind",
      "usage (a quota reading), request (one billed model request), preferences, alert, or one that you declare "
        + "with 'runic kind add'"
    ), ("device", "one local repository; its id proves itself, its name is for people"),
    ("commit", "what one command stored at once; the commits of a device form a chain of hashes"),
    ("object", "a file with a run of commits of one device, compressed and encrypted, named by its SHA-256"),
    ("head", "a small signed file that names a device's latest commit and its objects"),
    ("remote", "a place that holds the shared tree: a folder, or an address"),
    ("index", "the state of all records, made from the store and made again when it is gone"),
    ("fingerprint", "the SHA-256 of a record's payload, by which --if knows whether it has changed"),
  ]

  private static let merging = [
    "Everything that a device writes is a commit, and what is shown of a record depends on the set of commits alone, "
      + "never on the order in which they arrived. Devices that have the same commits show the same.",
    "Histories (usage, request) are only added to: the merge is the union, by id, and no clock takes part.",
    "Of keyed records (preferences, alert) every key is merged by itself, so edits of different keys all survive. A "
      + "write replaces what its writer had seen, whatever the clocks say. Clocks only order edits that did not know "
      + "of each other: the later is shown, and the other is kept as a conflict.",
  ]

  private static let deletes = [
    "A keyed record can be deleted; an edit that did not know of the delete is a conflict with it. Records of a "
      + "history are never deleted: 'runic retract' leaves one out of lists and reports. A file that is absent, "
      + "empty or broken is never taken for a deletion."
  ]

  private static let conflicts = [
    "'runic conflicts' lists what devices wrote without knowing of each other, with their names. It stands until an "
      + "edit of the key or 'runic resolve' settles it, here and everywhere.",
    "The setting sync.strategy says what a pull does by itself. last-writer-wins and manual write nothing; under "
      + "manual a pull ends with status 3 while a conflict is open. prefer-local and prefer-remote write a commit that "
      + "settles it.",
  ]

  private static let remotes = [
    "A remote is any mounted folder (Syncthing, Dropbox, a NAS, a stick), a place behind ssh (user@host:path or "
      + "ssh://user@host:port/path), a module of an rsync daemon (rsync://host/module/path) or whatever rclone speaks "
      + "(rclone:NAME:path). The programs ssh, rsync and rclone are your own, with your configuration.",
    "Files in the tree are named by their content and never change, so anyone may copy them in any order. There are "
      + "no locks at a remote. A push sends what the remote lacks, whoever wrote it, so that devices on two remotes "
      + "meet through one that has both.",
    "Files of other programs in the tree are ignored and listed by 'runic fsck'.",
  ]

  private static let keys = [
    "One random key seals everything. On each device it lies in a file that only its owner can read, or comes from the "
      + "command in the setting key.command, which prints what 'runic key export' does. A slot is that key, wrapped for one passphrase; with one, the passphrase "
      + "opens the tree on a new machine. Without one, keep what 'runic key export' prints: nothing else opens it.",
    "Only init --passphrase, clone, join and the key commands ever need a passphrase. It comes from --passphrase-file, "
      + "else RUNIC_PASSPHRASE_COMMAND, else RUNIC_PASSPHRASE, else it is asked for at the terminal. It is never an "
      + "argument.",
  ]

  private static let hooks = [
    "Programs of yours in the folder hooks of the repository run around every pull, push and sync, once for each remote: "
      + "pre-sync before anything else, and where it fails the sync is stopped with status 1; post-merge after a merge "
      + "that changed records, with these as JSON on standard input; on-failure after a sync that failed, with the error "
      + "as JSON. What fails of the last two is a warning. A hook is a file of that name that can be executed.",
    "They get the remote's name and the operation as arguments, and RUNIC_REPO, RUNIC_REMOTE, RUNIC_OPERATION and "
      + "RUNIC_HOOK in the environment. Each may take 60 seconds, or what 'runic config set hooks.timeout SECONDS' says. "
      + "A sync in a hook runs no hooks.",
  ]

  private static let promises = [
    "Payloads are secret and whole. Whoever holds the storage, and any other device, cannot forge, alter, reorder or "
      + "move what a device wrote. What is cut off or rolled back is found by any device that has seen more. Damage is "
      + "found without the key.",
    "Not promised: that the storage keeps what it was given; that sizes, times and the number of devices are hidden; "
      + "that a new device is shown the newest state; that a device which had the key forgets what it read.",
  ]

  private static let failures = [
    "A crash at any moment loses nothing that a command had acknowledged, and leaves nothing to clean up by hand. A "
      + "full disk stops a command; run again, it goes on from there. A push can always be repeated.",
    "'runic fsck' checks this device, 'runic fsck REMOTE' a remote; what is damaged is brought again by the next pull "
      + "and mended by the next push.",
  ]

  private static let values = [
    "KEY=VALUE takes JSON where the value reads as JSON (600, true, [\"a\",\"b\"], \"600\"), else a string; the type of "
      + "a known field decides first, and a list takes a,b too.",
    "A time is a day, 2026-09-05, an instant, 2026-09-05T12:00:00Z, or how long ago: 24h, 7d, 2w. A day is one of "
      + "the zone that the variable TZ names, else of the machine's, and means its beginning; --until takes in the whole.",
    "Ids of hashes, devices and commits may be cut to any unique beginning of four digits or more.",
  ]
}
