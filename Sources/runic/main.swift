print("runic")
