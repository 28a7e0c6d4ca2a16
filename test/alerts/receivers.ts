/** A request that a receiver got. */
export interface Got {
  key: string;
  headers: Headers;
  body: string;
}

/** A web server that answers what the test says, and remembers what it got. */
export class Receiver implements Disposable {
  readonly got: Got[] = [];
  answer: () => Response | Promise<Response> = () => new Response("ok");
  private readonly server: ReturnType<typeof Bun.serve>;

  constructor(readonly path = "/hook") {
    this.server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async (request) => {
        const { headers } = request;
        this.got.push({ key: headers.get("idempotency-key") ?? "", headers, body: await request.text() });
        return this.answer();
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}${this.path}`;
  }

  /** The keys of what it got, each once, in the order in which they came first. */
  get keys(): string[] {
    return [...new Set(this.got.map(({ key }) => key))];
  }

  [Symbol.dispose](): void {
    void this.server.stop(true);
  }
}

/** A letter that a mail server took. */
export interface TakenLetter {
  from: string;
  to: string[];
  data: string;
}

/** A mail server that takes every letter, but for recipients of `refused.example`. */
export class MailServer implements Disposable {
  readonly letters: TakenLetter[] = [];
  private readonly server;

  constructor() {
    const letters = this.letters;
    this.server = Bun.listen<Session>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open(socket) {
          socket.data = { text: "", letter: null, isData: false };
          socket.write("220 test\r\n");
        },
        data(socket, bytes) {
          socket.data.text += bytes.toString("latin1");
          answer(socket.data, letters, (line) => void socket.write(`${line}\r\n`));
        },
      },
    });
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.server.port}?ignoreTLS=true`;
  }

  [Symbol.dispose](): void {
    this.server.stop(true);
  }
}

interface Session {
  text: string;
  letter: TakenLetter | null;
  isData: boolean;
}

/** RFC 5321, as far as one letter a connection needs it. */
function answer(session: Session, letters: TakenLetter[], say: (line: string) => void): void {
  for (;;) {
    const end = session.isData ? "\r\n.\r\n" : "\r\n";
    const at = session.text.indexOf(end);
    if (at < 0) return;
    const line = session.text.slice(0, at);
    session.text = session.text.slice(at + end.length);
    if (session.isData) {
      session.isData = false;
      letters.push({ ...session.letter!, data: line });
      say("250 taken");
      continue;
    }
    const [verb = ""] = line.toUpperCase().split(" ");
    const address = /<(.*?)>/.exec(line)?.[1] ?? "";
    if (verb === "MAIL") session.letter = { from: address, to: [], data: "" };
    if (verb === "RCPT" && address.endsWith("@refused.example")) {
      say("550 no such mailbox");
      continue;
    }
    if (verb === "RCPT") session.letter!.to.push(address);
    session.isData = verb === "DATA";
    say(verb === "DATA" ? "354 go on" : verb === "QUIT" ? "221 bye" : "250 ok");
  }
}
