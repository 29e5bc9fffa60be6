"""A plain receiver in Python, with nothing but its standard library, written from the contract alone.

Keeps articles in memory. PRESSMARK_SECRET holds the signing secret, SITE_URL the public address of the
articles. Prints the port that it listens on.
"""

import hashlib
import hmac
import json
import os
import re
import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SECRET = os.environ["PRESSMARK_SECRET"].encode()
SITE_URL = os.environ["SITE_URL"].rstrip("/")
MOST_BYTES = 1_000_000
CAPABILITIES = ["article.published", "article.lookup", "article.updated"]
TEXTS = ["title", "slug", "content_html", "content_markdown", "meta_description", "focus_keyword", "author", "json_ld"]

articles = {}  # stored id -> article
lock = threading.Lock()


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def canonical(text):
    """Drops the fragment and one trailing slash of the path; None for what is no public URL."""
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        return None
    if url.scheme not in ("http", "https") or not url.hostname or url.username is not None or url.password is not None:
        return None
    if port == {"http": 80, "https": 443}[url.scheme]:
        port = None
    path = url.path[:-1] if url.path.endswith("/") else url.path
    query = url.query if "?" in text.split("#", 1)[0] else None  # a bare question mark is an empty query
    return (url.scheme, url.hostname, port, path, query)


def find(url):
    wanted = canonical(url)
    found = [article for article in articles.values() if canonical(article["url"]) == wanted]
    return found[0] if wanted is not None and len(found) == 1 else None


def require(holds, message, status=400):
    if not holds:
        raise Refused(status, message)


def nonempty(data, *names):
    for name in names:
        require(isinstance(data.get(name), str) and data[name] != "", f"{name} must be a nonempty text")


def check_article(data):
    nonempty(data, "id")
    for name in TEXTS:
        require(isinstance(data.get(name), str), f"{name} must be a text")
    tags = data.get("tags")
    require(isinstance(tags, list) and all(isinstance(tag, str) for tag in tags), "tags must be texts")
    image = data.get("featured_image_url", "")
    require(image is None or isinstance(image, str), "featured_image_url must be a text or null")


def check_format(body):
    version = body.get("contract_version")
    require(version == 2 and isinstance(version, int), "contract_version must be 2")


def replace(article, data):
    article["title"] = data["title"] or "Untitled"
    article["html"] = data["content_html"]
    article["json_ld"] = data["json_ld"]
    if data["featured_image_url"] is not None:
        article["image"] = data["featured_image_url"]


def free_url(slug):
    safe = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-") or "article"
    taken = {article["url"] for article in articles.values()}
    for n in range(1, len(articles) + 2):
        url = f"{SITE_URL}/articles/{safe}{'' if n == 1 else f'-{n}'}/"
        if url not in taken:
            return url
    raise AssertionError("more URLs than articles")


def published(data, body):
    check_article(data)
    with lock:
        article = articles.get(data["id"])
        if article is None:
            article = {"id": data["id"], "url": free_url(data["slug"]), "revision": "r-" + data["id"], "image": None}
            replace(article, data)
            articles[data["id"]] = article
    return {"received": True, "id": article["id"], "url": article["url"]}


def tested(data, body):
    check_format(body)
    return {"received": True, "contract_version": 3, "capabilities": CAPABILITIES}


def looked_up(data, body):
    check_format(body)
    nonempty(data, "target_url")
    with lock:
        article = find(data["target_url"])
        require(article is not None, "no article at this URL", 404)
        target = {
            "id": article["id"],
            "url": article["url"],
            "revision_id": article["revision"],
            "title": article["title"],
            "content_html": article["html"],
        }
    return {"received": True, "contract_version": 3, "target": target}


def updated(data, body):
    check_format(body)
    check_article(data)
    nonempty(data, "target_id", "target_url", "base_revision_id", "revision_id")
    require(data["id"] == data["revision_id"], "id must be revision_id")
    with lock:
        article = articles.get(data["target_id"])
        require(article is not None and find(data["target_url"]) is article, "no such article", 404)
        if article["revision"] != data["revision_id"]:
            require(article["revision"] == data["base_revision_id"], "Article revision conflict", 409)
            replace(article, data)
            article["revision"] = data["revision_id"]
    return {"received": True, "contract_version": 3, "revision_id": data["revision_id"]}


HANDLERS = {
    "article.published": published,
    "webhook.test": tested,
    "article.lookup": looked_up,
    "article.updated": updated,
}


def receive(raw, signature):
    expected = "sha256=" + hmac.new(SECRET, raw, hashlib.sha256).hexdigest()
    require(hmac.compare_digest(expected.encode(), (signature or "").encode("latin-1", "replace")), "signature", 401)
    try:
        body = json.loads(raw.decode("utf-8"))
    except ValueError:
        raise Refused(400, "the body is no JSON in UTF-8") from None
    require(isinstance(body, dict), "the body must be an object")
    event = body.get("event")
    require(isinstance(event, str) and event in HANDLERS, "unsupported event")
    data = body.get("data")
    require(isinstance(data, dict), "data must be an object")
    return HANDLERS[event](data, body)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body of an answer leave together

    def do_POST(self):
        try:
            raw = self.read_body()
            require(len(raw) <= MOST_BYTES, "the body is over 1,000,000 bytes", 413)
            self.answer(200, receive(raw, self.headers.get("X-Service-Signature")))
        except Refused as refused:
            self.answer(refused.status, {"error": str(refused)})

    def do_GET(self):
        with lock:
            found = [article for article in articles.values() if urlsplit(article["url"]).path == self.path]
            page = page_of(found[0]) if found else "Nothing here."
        self.send(200 if found else 404, "text/html; charset=utf-8", page.encode())

    def read_body(self):
        """All of the body up to one byte above the limit; the rest is read and dropped, so that the answer is read."""
        kept = b""
        for piece in self.pieces():
            kept = (kept + piece)[: MOST_BYTES + 1]
        return kept

    def pieces(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            left = int(self.headers.get("Content-Length", 0))
            while left > 0:
                piece = self.rfile.read(min(left, 65_536))
                if not piece:
                    return
                left -= len(piece)
                yield piece
            return
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline() not in (b"\r\n", b"\n", b""):
            pass

    def answer(self, status, body):
        self.send(status, "application/json", json.dumps(body, ensure_ascii=False).encode())

    def send(self, status, media_type, content):
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, *args):
        pass


def page_of(article):
    image = f'<img src="{escape(article["image"])}" alt="">' if article["image"] else ""
    head = f'<meta charset="utf-8"><title>{escape(article["title"])}</title>{article["json_ld"]}'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{image}{article["html"]}</body></html>'


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
