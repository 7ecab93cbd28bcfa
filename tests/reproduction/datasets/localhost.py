"""A server on this machine that sends what it is given, and misbehaves when it is told to."""

import re
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served, how the next requests go wrong, and the requests that came: their paths and ranges."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    mishaps: list[object] = field(default_factory=list)  # a status, "cut", or "no range"
    requests: list[tuple[str, str | None]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self):
        wanted = self.headers.get("Range")
        self.site.requests.append((self.path, wanted))
        mishap = self.site.mishaps.pop(0) if self.site.mishaps else None
        content = self.site.files.get(self.path)
        if isinstance(mishap, int) or content is None:
            self.send_error(mishap or 404)
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and mishap != "no range" else 0
        if start and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        rest = content[start:]
        if mishap == "cut":
            self.wfile.write(rest[: len(rest) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.wfile.write(rest)

    def log_message(self, *args):
        pass


@contextmanager
def serving():
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("SiteHandler", (Handler,), {"site": site}))
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
