extension ValueKind {
  /// What such a value is, for help texts and man pages: a few words, lower case.
  var meaning: String {
    switch self {
    case .none, .choice: ""
    case .remote: "a remote's name; 'runic remote list' lists them"
    case .kind: "a kind of records; 'runic kind list' lists them"
    case .recordID: "a record's id, or four or more of its first digits where it is a hash"
    case .recordKey: "a key of the record"
    case .device: "a device's name, or four or more of its id's first digits"
    case .configKey: "a setting; 'runic config set --help' names them"
    case .configValue: "what it shall be"
    case .keySlot: "four or more of a slot's first digits; 'runic key list' lists them"
    case .commit: "a commit, by four or more of its first digits, or a time"
    case .provider: "a provider, as readings and alerts name it"
    case .command: "a command, by the words of its name"
    case .storeFile: "four or more of the first digits of a file's digest"
    case .file: "a file"
    case .directory: "a folder"
    case .address: "a folder, or an address: user@host:path, ssh://, rsync:// or rclone:NAME:path"
    case .assignment: "a key and its value; what reads as JSON is that JSON, anything else a string"
    case .channel: "system, command or stdout"
    case .logSource: "a tool whose logs are read, or a file"
    case .text: "any text"
    case .number: "a number"
    case .time: "a time: 2026-09-05, 2026-09-05T12:00:00Z, or how long ago: 24h, 7d, 2w"
    case .zone: "a time zone, such as Europe/Berlin"
    case .newName: "a name of your choice"
    case .fingerprint: "a fingerprint, as 'runic get --json' shows it"
    }
  }
}
