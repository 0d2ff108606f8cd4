"""The program that stands for every tool on a simulated host: it asks the simulator and prints.

Its text is written to disk, not imported. It opens the socket by a path relative to the
simulator's folder, because a socket's path may have 107 characters only; and it uses `_socket`,
the C half of `socket`, because importing the other half doubles the cost of every call.
"""

SOURCE = """\
import os, sys
try:
    import _socket as socket
except ImportError:
    import socket
host = os.path.basename(os.path.dirname(os.path.dirname(sys.argv[0])))
words = [host, os.path.basename(sys.argv[0]), *sys.argv[1:]]
try:
    os.chdir(@FOLDER@)
    link = socket.socket(1, 1)
    link.connect("tools.sock")
except OSError:
    sys.stderr.write(words[1] + ": the simulator is not running\\n")
    sys.exit(127)
link.sendall("\\0".join(words).encode("utf-8", "surrogateescape"))
link.shutdown(1)
parts = []
while True:
    part = link.recv(65536)
    if not part:
        break
    parts.append(part)
head, _, body = b"".join(parts).partition(b"\\n")
if not head:
    sys.stderr.write(words[1] + ": the simulator stopped\\n")
    sys.exit(127)
status, out = (int(word) for word in head.split())
for number, data in ((1, body[:out]), (2, body[out:])):
    while data:
        try:
            data = data[os.write(number, data):]
        except BrokenPipeError:
            os._exit(141)
os._exit(status)
"""
