"""Talks to a language server as an editor does and prints what it answers.

usage: lsp_session.py SCRIPT SERVER [ARGUMENTS...]

A line of SCRIPT is a command; words are quoted as in a shell, "#" starts a
comment. PLACE is text of the file that is open, with "|" where the cursor is
(without one: at its start); an occurrence other than the first is asked for by a
number, counted from 1.

  open FILE                 opens FILE of the script's folder, prints diagnostics
  edit OLD NEW              replaces the first OLD, prints diagnostics
  hover PLACE [NUMBER]      what the server says about the place
  definition PLACE [NUMBER] where it is defined
  references PLACE [NUMBER] where it is used
  complete PLACE [NUMBER]   what could stand there: names and details, sorted
  symbols                   the outline of the file
  raw MESSAGE               sends the bytes as the content of a message
  exit                      ends the session as an editor does

Ranges are printed with the text that they cover. Every answer has to come within
a time limit; a server that is late, ends early or sends what is not the protocol
ends this program with exit code 1.
"""

import json
import os
import queue
import shlex
import subprocess
import sys
import threading

TIMEOUT = 120  # Seconds for one answer; sanitizers on a busy machine are slow.


class SessionError(Exception):
    pass


class Server:
    """A language server at the other end of two pipes."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.messages = queue.Queue()
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        """Puts every message on the queue, then None or what was wrong."""
        out = self.process.stdout
        try:
            while True:
                length = None
                while True:
                    line = out.readline()
                    if not line:
                        self.messages.put(None)
                        return
                    line = line.strip()
                    if not line:
                        break
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                self.messages.put(json.loads(out.read(length)))
        except (ValueError, TypeError) as error:
            self.messages.put(SessionError(f"not the protocol: {error}"))

    def send_bytes(self, content):
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise SessionError("the server has ended") from None

    def send(self, message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self, wanted, what):
        """The next message that `wanted` accepts."""
        while True:
            try:
                message = self.messages.get(timeout=TIMEOUT)
            except queue.Empty:
                raise SessionError(f"no answer to {what} in {TIMEOUT} s") from None
            if message is None:
                raise SessionError(f"the server ended instead of answering {what}")
            if isinstance(message, SessionError):
                raise message
            if wanted(message):
                return message

    def request(self, method, params):
        self.next_id += 1
        number = self.next_id
        self.send({"id": number, "method": method, "params": params})
        answer = self.receive(lambda message: message.get("id") == number, method)
        if "result" not in answer:
            raise SessionError(f"{method}: {answer.get('error', 'no result')}")
        return answer["result"]

    def close(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait(timeout=TIMEOUT)


class Document:
    """The text that is open, and positions in it."""

    def __init__(self, uri, text):
        self.uri, self.text, self.version = uri, text, 1

    def position(self, offset):
        before = self.text[:offset]
        return {"line": before.count("\n"), "character": offset - (before.rfind("\n") + 1)}

    def offset(self, position):
        lines = self.text.split("\n")
        return sum(len(line) + 1 for line in lines[: position["line"]]) + position["character"]

    def find(self, place, number=1):
        """The position of the cursor in occurrence `number` of `place`."""
        text = place.replace("|", "")
        offset = -1
        for _ in range(number):
            offset = self.text.find(text, offset + 1)
            if offset < 0:
                raise SessionError(f"the file has no occurrence {number} of {text!r}")
        return self.position(offset + max(place.find("|"), 0))

    def show(self, range_):
        """A range as line:column and its text."""
        start = range_["start"]
        text = self.text[self.offset(start) : self.offset(range_["end"])]
        return f"{start['line'] + 1}:{start['character'] + 1} `{text}`"


class Session:
    def __init__(self, server, folder):
        self.server, self.folder, self.document = server, folder, None
        answer = server.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": {
                    "textDocument": {
                        "publishDiagnostics": {"relatedInformation": True},
                        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                    }
                },
            },
        )
        sync = answer["capabilities"]["textDocumentSync"]
        self.incremental = (sync["change"] if isinstance(sync, dict) else sync) == 2
        server.notify("initialized", {})

    def place(self, place, number="1"):
        return {
            "textDocument": {"uri": self.document.uri},
            "position": self.document.find(place, int(number)),
        }

    def print_diagnostics(self):
        document = self.document

        def wanted(message):
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"]["uri"] == document.uri
                and message["params"].get("version", document.version) == document.version
            )

        diagnostics = self.server.receive(wanted, "a change")["params"]["diagnostics"]
        print(f"diagnostics: {len(diagnostics)}")
        severities = {1: "error", 2: "warning", 3: "information", 4: "hint"}
        for diagnostic in diagnostics:
            severity = severities[diagnostic["severity"]]
            print(f"  {document.show(diagnostic['range'])} {severity}: {diagnostic['message']}")
            for note in diagnostic.get("relatedInformation", []):
                assert note["location"]["uri"] == document.uri, note
                print(f"    {document.show(note['location']['range'])} {note['message']}")

    def open(self, name):
        path = os.path.join(self.folder, name)
        with open(path, encoding="utf-8") as file:
            self.document = Document("file://" + os.path.abspath(path), file.read())
        self.server.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": self.document.uri,
                    "languageId": "mlir",
                    "version": self.document.version,
                    "text": self.document.text,
                }
            },
        )
        self.print_diagnostics()

    def edit(self, old, new):
        document = self.document
        offset = document.text.find(old)
        if offset < 0:
            raise SessionError(f"the file has no {old!r}")
        range_ = {
            "start": document.position(offset),
            "end": document.position(offset + len(old)),
        }
        document.text = document.text.replace(old, new, 1)
        document.version += 1
        change = {"range": range_, "text": new} if self.incremental else {"text": document.text}
        self.server.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": document.uri, "version": document.version},
                "contentChanges": [change],
            },
        )
        self.print_diagnostics()

    def hover(self, *place):
        hover = self.server.request("textDocument/hover", self.place(*place))
        if hover is None:
            print("nothing")
            return
        if "range" in hover:
            print(f"at {self.document.show(hover['range'])}")
        print("\n".join(line for line in hover["contents"]["value"].splitlines() if line))

    def print_locations(self, method, params):
        for location in self.server.request(method, params) or []:
            assert location["uri"] == self.document.uri, location
            print(f"  {self.document.show(location['range'])}")

    def definition(self, *place):
        self.print_locations("textDocument/definition", self.place(*place))

    def references(self, *place):
        params = {**self.place(*place), "context": {"includeDeclaration": True}}
        self.print_locations("textDocument/references", params)

    def complete(self, *place):
        answer = self.server.request("textDocument/completion", self.place(*place))
        items = answer["items"] if isinstance(answer, dict) else answer or []
        for item in sorted(items, key=lambda item: (item.get("sortText", ""), item["label"])):
            print(f"  {item['label']}  ({item.get('detail', '')})")

    def symbols(self):
        def show(symbols, depth):
            for symbol in symbols:
                print("  " * depth + symbol["name"])
                show(symbol.get("children", []), depth + 1)

        params = {"textDocument": {"uri": self.document.uri}}
        show(self.server.request("textDocument/documentSymbol", params), 1)

    def raw(self, content):
        self.server.send_bytes(content.encode())

    def exit(self):
        print(f"exit code {self.server.close()}")


def main():
    script, *command = sys.argv[1:]
    server = Server(command)
    try:
        session = Session(server, os.path.dirname(script))
        with open(script, encoding="utf-8") as file:
            for line in file:
                words = shlex.split(line, comments=True)
                if words:
                    print("> " + line.strip())
                    getattr(session, words[0])(*words[1:])
    except SessionError as error:
        print(f"error: {error}")
        return 1
    finally:
        server.process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
