"""The ways in which a server can be wrong. Each is a function of a connection, and meets one request."""

import gzip
import itertools
import time


def receive(connection, is_stored):
    """The next request, which is stored, or not."""
    request = connection.request()
    if is_stored:
        connection.table.take(request)


def status(code, *headers, body=b"{}", kind="application/json", is_stored=False):
    """Answers with this status; what it got is stored, or not."""
    def behave(connection):
        receive(connection, is_stored)
        connection.answer(code, headers, body, kind)
    return behave


def take(connection, answer):
    """Stores the record if the head of the answer is that of a receipt: so the server does not lie, whatever follows."""
    receive(connection, answer.startswith(b"HTTP/1.1 200") and b"application/json" in answer)


def by_path(path, behave):
    """Meets requests to this path so; what comes to others is accepted."""
    def choose(connection):
        request = connection.request()
        if request.path != path:
            return connection.answer(connection.table.take(request))
        connection.request = lambda: request
        try:
            return behave(connection)
        finally:
            del connection.request
    return choose


def raw(answer):
    """Answers with these bytes."""
    def behave(connection):
        take(connection, answer)
        connection.send(answer)
        connection.hang_up()
    return behave


# -- Broken connections


def reset_in_request(count):
    """A reset after so many bytes of the request."""
    def behave(connection):
        got = len(connection.rest)
        while got < count:
            got += len(connection.read(count - got))
        connection.reset()
    return behave


HONEST_ANSWER = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


def cut_in_answer(count, how="reset", is_stored=True):
    """So many bytes of the answer, then a reset, an end, or nothing more."""
    def behave(connection):
        receive(connection, is_stored)
        connection.send(HONEST_ANSWER[:count])
        if how == "reset":
            # What was sent arrives first.
            time.sleep(0.002)
            connection.reset()
        elif how == "stall":
            connection.wait(60)
        connection.hang_up()
    return behave


def stall(is_stored=False, before_reading=False, seconds=60):
    def behave(connection):
        if not before_reading:
            receive(connection, is_stored)
        connection.wait(seconds)
        connection.hang_up()
    return behave


def trickle(pause=0.05, is_stored=True):
    """The right answer, a byte at a time."""
    def behave(connection):
        receive(connection, is_stored)
        for byte in HONEST_ANSWER:
            connection.send(bytes([byte]))
            time.sleep(pause)
    return behave


# -- Without an end


PIECE = 64 * 1024
MOST = 400 * 1024 * 1024


def endless(beginning, repeated):
    """A beginning, then the same again and again, or with a number (%d) that grows; bounded, so that a client without a bound is found out and
    not waited for.
    """
    def behave(connection):
        take(connection, beginning)
        connection.send(beginning)
        sent, count = 0, max(1, PIECE // len(repeated))
        for first in itertools.count(0, count):
            if sent > MOST or connection.server.has_ended:
                break
            block = b"".join(repeated % number for number in range(first, first + count)) if b"%d" in repeated else repeated * count
            connection.send(block)
            sent += len(block)
        connection.hang_up()
    return behave


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

ENDLESS = [
    ("100s without an end", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n")),
    ("103s with headers without an end", endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")),
    ("headers without an end", endless(OK, b"X-More: " + b"x" * 100 + b"\r\n")),
    ("ever different headers", endless(OK, b"X-More-%d: y\r\n")),
    ("a header without an end", endless(OK + b"X-Long: ", b"x")),
    ("a status line without an end", endless(b"HTTP/1.1 200 ", b"x")),
    ("a body without an end", endless(OK + b"Content-Type: application/json\r\n\r\n", b"x")),
    ("a body of spaces without an end", endless(OK + b"Content-Type: application/json\r\n\r\n", b" ")),
    ("chunks without an end", endless(CHUNKED, b"1\r\nx\r\n")),
    ("a long chunk without an end", endless(CHUNKED + b"7fffffff\r\n", b"x")),
    ("a chunk extension without an end", endless(CHUNKED + b"1;", b"x")),
    ("trailers without an end", endless(CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-Trailer: " + b"x" * 100 + b"\r\n")),
    ("ever different trailers", endless(CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-Trailer-%d: y\r\n")),
    ("a trailer without an end", endless(CHUNKED + b"2\r\n{}\r\n0\r\nX-Trailer: ", b"x")),
    ("a body packed a thousand times",
     raw(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"{" + b" " * 50_000_000))),
]

# -- Answers that are not HTTP, or not quite: what they say of the record is nothing

MALFORMED = [
    ("nothing", raw(b"")),
    ("garbage", raw(b"\x00\xff\x17garbage\r\n\r\n")),
    ("another protocol", raw(b"SSH-2.0-OpenSSH_9.2\r\n")),
    ("no status", raw(b"HTTP/1.1\r\n\r\n{}")),
    ("a status of two digits", raw(b"HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n")),
    ("a status of four digits", raw(b"HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n")),
    ("a negative length", raw(OK + b"Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{}")),
    ("a length of words", raw(OK + b"Content-Type: application/json\r\nContent-Length: two\r\n\r\n{}")),
    ("a length beyond all numbers", raw(OK + b"Content-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}")),
    ("two lengths", raw(OK + b"Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}")),
    ("more announced than sent", raw(OK + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{}")),
    ("no chunk", raw(CHUNKED)),
    ("a chunk that is cut", raw(CHUNKED + b"a\r\n{}")),
    ("a chunk of a length that is none", raw(CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n")),
    ("chunks without the last", raw(CHUNKED + b"2\r\n{}\r\n")),
    ("an unknown transfer coding", raw(OK + b"Content-Type: application/json\r\nTransfer-Encoding: magic\r\n\r\n{}")),
    ("packed and not unpacked", raw(OK + b"Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")),
    ("only interim answers", raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 20)),
    ("another protocol is switched to", raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")),
    ("HTTP/0.9", raw(b"<html>welcome</html>")),
    ("HTTP/2 at once", raw(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64")),
]

# -- Login pages

HTML = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>Accept the terms</body></html>"
XHTML = b'<?xml version="1.0" encoding="UTF-8"?>\n' + HTML
HTML_TYPE = "text/html; charset=utf-8"

#: Each with its type and body; none is a receipt. A type of None: no such header.
PAGES = [
    ("JSON by its type, a page by its body", "application/json", HTML),
    ("html", HTML_TYPE, HTML),
    ("html in capitals", "TEXT/HTML", HTML.upper()),
    ("xhtml", "application/xhtml+xml", XHTML),
    ("xml", "text/xml", XHTML),
    ("plain text that is html", "text/plain", HTML),
    ("plain text", "text/plain", b"Please accept the terms."),
    ("no type, html", None, HTML),
    ("no type, text", None, b"Please accept the terms."),
    ("no type, JSON", None, b'{"login": true}'),
    ("an empty type", "", HTML),
    ("a byte order mark", HTML_TYPE, b"\xef\xbb\xbf" + HTML),
    ("UTF-16", "text/html; charset=utf-16", HTML.decode().encode("utf-16")),
    ("UTF-16, plain", "text/plain", HTML.decode().encode("utf-16")),
    ("text before it", HTML_TYPE, b"Welcome! " + HTML),
    ("blank lines before it", HTML_TYPE, b"\r\n\n \t" + HTML),
    ("a comment before it", HTML_TYPE, b"<!-- portal -->" + HTML),
    ("bytes of zero before it", HTML_TYPE, bytes(16) + HTML),
    ("javascript", "application/javascript", b"location = '/login'"),
    ("bytes", "application/octet-stream", HTML),
    ("a form", "multipart/form-data; boundary=x", b"--x--"),
    ("nearly JSON", "application/jsonp", b"{}"),
    ("JSON in the parameter", "text/html; profile=application/json", HTML),
    ("two types", "text/html, application/json", HTML),
    ("a problem", "application/problem+json", b"{}"),
]


def interim_answers(connection):
    connection.table.take(connection.request())
    connection.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + HONEST_ANSWER)


#: These are receipts.
RECEIPTS = [
    ("200 with JSON", status(200, is_stored=True)),
    ("201 with JSON and its coding", status(201, kind="application/json; charset=utf-8", is_stored=True)),
    ("200 with JSON in capitals", status(200, kind="Application/JSON", is_stored=True)),
    ("200 and empty", status(200, body=b"", kind=None, is_stored=True)),
    ("200, empty, of another type", status(200, body=b"", kind="text/plain", is_stored=True)),
    ("204", status(204, is_stored=True)),
    ("202 with a nudge", status(202, body=b'{"nudge":{"strength":"light","message":"up"}}', is_stored=True)),
    ("200 after interim answers", interim_answers),
    ("chunks", raw(CHUNKED + b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")),
    ("chunks and a trailer", raw(CHUNKED + b"2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n")),
    ("no length, to the end", raw(OK + b"Content-Type: application/json\r\n\r\n{}")),
]


def nudge(message, strength='"light"', before="", after=""):
    """The body of an answer that nudges; the message as it is written in JSON."""
    return f'{{{before}"nudge":{{"strength":{strength},"message":"{message}"}}{after}}}'.encode()


ESCAPES = r"\u001b]0;x\u0007\u001b[2J\u009b31m\u202eabc\u2066\r\n\t\u0000\ud83d"
GOOD = nudge("Stand up")
#: Bodies of an answer to an event, and whether the wearer is nudged.
NUDGES = [
    ("a good one", GOOD, True),
    ("a message of 1 MB", nudge("x" * (1 << 20)), False),
    ("a message of 7 KB", nudge("x" * 7000), True),
    ("escapes and controls", nudge(ESCAPES), True),
    ("escapes alone, 1000 times", nudge(r"\u0007" * 1000), True),
    ("raw controls", nudge("\x1b[2J\x07"), False),
    ("no UTF-8", GOOD.replace(b"Stand", b"\xff\xfe\xed\xa0\x80"), True),
    ("lone halves of surrogates", nudge(r"\ud800\udc00\udfff\ud800"), True),
    ("combining marks", nudge("a" + "\u0301" * 3000), True),
    ("another strength", nudge("x", '"fatal"'), False),
    ("a number for a strength", nudge("x", "7"), False),
    ("a list for a message", b'{"nudge":{"strength":"light","message":["x"]}}', False),
    ("a list of nudges", b'{"nudge":[{"strength":"light","message":"x"}]}', False),
    ("a nudge in a nudge", b'{"nudge":{"nudge":{"strength":"light","message":"x"}}}', False),
    ("100 nudges", b"{" + b",".join([GOOD[1:-1]] * 100) + b"}", True),
    ("nested lists", nudge("x", before='"a":' + "[" * 3000 + "]" * 3000 + ","), False),
    ("nested objects", nudge("x", before='"a":' + '{"a":' * 1000 + "1" + "}" * 1000 + ","), False),
    ("cut", GOOD[:-2], False),
    ("something behind it", GOOD + b"{}", False),
    ("a list around it", b"[" + GOOD + b"]", False),
    ("shell and format", nudge("$(reboot) `id` %s%n \\\"; DROP TABLE book"), True),
]


def page(kind, body, code=200, packed=False):
    headers = [] if kind is None else [("Content-Type", kind)]
    if packed:
        body, headers = gzip.compress(body), headers + [("Content-Encoding", "gzip")]
    return status(code, *headers, body=body, kind=None)


def redirect(code, to):
    return status(code, ("Location", to), body=b"", kind=None)
