// placeholder to be replaced
