import Testing

@Suite struct PlaceholderCanonicalJSON {}
