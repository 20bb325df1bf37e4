"""Opens pages in headless Chromium and looks at what a reader would: is every chart drawn, can all be reached by keyboard,
does anything end in an error, is anything fetched. It speaks WebDriver to chromedriver with the standard library alone.

usage: look.py CHROMEDRIVER PAGE...
"""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

# In the page: what is wrong with it, as a list of words.
WRONG = """
const wrong = [];
const figures = [...document.querySelectorAll('figure')];
for (const figure of figures) {
  const svg = figure.querySelector('svg'), name = figure.querySelector('figcaption strong').textContent;
  const box = svg.getBoundingClientRect();
  if (box.width < 200 || box.height < 40) wrong.push(name + ': not drawn, ' + box.width + ' by ' + box.height);
  const drawn = [...svg.querySelectorAll('rect, path.line, circle')].filter(shape => {
    const box = shape.getBBox();
    return box.width > 0 || box.height > 0;
  });
  if (drawn.length === 0) wrong.push(name + ': nothing is in it');
  for (const shape of svg.querySelectorAll('rect, path, circle, text')) {
    const box = shape.getBBox();
    if (box.x < -1 || box.y < -20 || box.x + box.width > svg.viewBox.baseVal.width + 1
        || box.y + box.height > svg.viewBox.baseVal.height + 1) {
      wrong.push(name + ': ' + shape.outerHTML.slice(0, 120) + ' is outside');
    }
  }
  const told = svg.getAttribute('aria-labelledby').split(' ').map(id => document.getElementById(id));
  if (told.some(one => !one || !one.textContent.trim())) wrong.push(name + ': has no words');
  if (figure.tabIndex !== 0) wrong.push(name + ': no keyboard reaches it');
}
for (const link of document.querySelectorAll('a')) {
  if (!document.querySelector(link.getAttribute('href'))) wrong.push(link.outerHTML + ': leads nowhere');
}
for (const wide of document.querySelectorAll('.wide, pre')) {
  if (wide.tabIndex !== 0) wrong.push('a table that scrolls and that no keyboard reaches');
}
if (document.body.scrollWidth > window.innerWidth) wrong.push('the page is wider than the window');
const ratio = (a, b) => {
  const light = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number).map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
  const [low, high] = [light(a), light(b)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const ground = getComputedStyle(document.body).backgroundColor;
for (const text of document.querySelectorAll('h1, p, th, td, li, figcaption, .good, .bad, .warn, .faint')) {
  const ink = getComputedStyle(text).color;
  if (ratio(ink, ground) < 4.5) { wrong.push('text of ' + ink + ' on ' + ground + ' is hard to read'); break; }
}
return {wrong, figures: figures.length, ground};
"""


def ask(base, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


@contextlib.contextmanager
def driver(program):
    """chromedriver on a port that it chooses."""
    process = subprocess.Popen([program, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = next(found[1] for line in process.stdout if (found := re.search(r"successfully on port (\d+)", line)))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def browser(base):
    options = {
        "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1100,900"],
        "perfLoggingPrefs": {"enableNetwork": True},
    }
    wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
    session = ask(base, "POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
    path = f"/session/{session['sessionId']}"
    try:
        yield lambda method, rest, body=None: ask(base, method, path + rest, body)
    finally:
        ask(base, "DELETE", path)


def requests(entries):
    """The addresses that the browser asked for."""
    for entry in entries:
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def look(session, page, scheme):
    """What is wrong with a page in a colour scheme, and how many charts it has."""
    media = {"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]}
    session("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": media})
    session("POST", "/url", {"url": page.as_uri()})
    seen = session("POST", "/execute/sync", {"script": WRONG, "args": []})
    wrong = seen["wrong"]
    said = session("POST", "/se/log", {"type": "browser"})
    wrong += [f"console: {entry['message']}" for entry in said if entry["level"] in ("SEVERE", "WARNING")]
    asked = requests(session("POST", "/se/log", {"type": "performance"}))
    wrong += [f"fetched {url}" for url in asked if not url.startswith(("file:", "data:"))]
    return wrong, seen["figures"], seen["ground"]


def main(program, names):
    failed = False
    with driver(program) as base, browser(base) as session:
        for name in names:
            page = pathlib.Path(name).resolve()
            (light, charts, white), (dark, _, black) = (look(session, page, scheme) for scheme in ("light", "dark"))
            wrong = [f"light: {text}" for text in light] + [f"dark: {text}" for text in dark]
            if white == black:
                wrong.append("light and dark look the same")
            print(f"{'FAIL' if wrong else 'ok  '} {page.name}: {charts} charts")
            for text in wrong:
                print(f"     {text}")
            failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
