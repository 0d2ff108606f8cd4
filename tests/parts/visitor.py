"""A person with a plain HTTP client: signs in, reads pages, posts forms, and times the answers."""

import time
from dataclasses import dataclass
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    seconds: float


class Visitor:
    def __init__(self, url: str) -> None:
        self.url, self._cookies = url, CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self._cookies), _Stay())

    def get(self, path: str, *, timeout: float = 10) -> Answer:
        return self._ask(Request(self.url + path), timeout)

    def post(self, path: str, *, timeout: float = 10, **fields: str) -> Answer:
        token = next((c.value for c in self._cookies if c.name == "csrftoken"), "") or ""
        body = urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        return self._ask(
            Request(self.url + path, data=body, headers={"Referer": self.url}), timeout
        )

    def sign_in(self, email: str, password: str) -> "Visitor":
        self.get("/accounts/login/")
        answer = self.post("/accounts/login/", login=email, password=password)
        assert answer.status == 302, f"sign-in: {answer.status} {answer.text[:500]}"
        return self

    def cookies(self) -> list[dict[str, str]]:
        """For a browser context: `context.add_cookies(visitor.cookies())`."""
        return [{"name": c.name, "value": c.value or "", "url": self.url} for c in self._cookies]

    def _ask(self, request: Request, timeout: float) -> Answer:
        start = time.monotonic()
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                status, body = answer.status, answer.read()
        except HTTPError as error:
            status, body = error.code, error.read()
        text = body.decode("utf-8", "replace")
        return Answer(status, text, time.monotonic() - start)
