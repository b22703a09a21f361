// Payloads and values are JSON: whoever imports the engine can write them.
@_exported public import CanonicalJSON
