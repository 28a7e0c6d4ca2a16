import { csrfTokenOf } from "../../src/manage/serve/csrf.ts";
import { createLoginLink } from "../../src/metadata/mod.ts";
import type { ManageServer, Reply } from "../support/manage.ts";

export const PASSWORD = "correct horse battery";
export const EMAIL = "owner@localhost.localdomain";

/** What a browser sends of itself with a request of its own page. */
export const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };

/** Requests as a page of a browser makes them: it keeps cookies, and sends no key. */
export class Browser {
  cookies = new Map<string, string>();

  constructor(
    readonly server: ManageServer,
    /** On top of every request. */
    private readonly headers: Record<string, string> = {},
  ) {}

  /** `over`: headers in place of the page's own; null leaves one out. */
  async send(method: string, path: string, body?: unknown, over: Record<string, string | null> = {}): Promise<Reply> {
    const own: Record<string, string | null> = {
      ...OWN_PAGE,
      ...this.headers,
      Cookie: this.cookies.size === 0 ? null : [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "X-CSRFToken":
        method === "GET" ? null : (this.cookies.get("__Host-weir_csrf") ?? this.cookies.get("weir_csrf") ?? null),
      ...over,
    };
    const headers = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >;
    const reply = await this.server.send(method, path, { key: null, body, headers });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return reply;
  }

  login(password = PASSWORD, email = EMAIL): Promise<Reply> {
    return this.send("POST", "/api/login/", { email, password });
  }

  /** The whole of a session that a test has made without a login. */
  take(token: string): this {
    this.cookies = new Map([
      ["weir_session", token],
      ["weir_csrf", csrfTokenOf(token)],
    ]);
    return this;
  }
}

/** A one-time link of the owner, or of another user. */
export function linkOf({ db, nowMs }: ManageServer, userId = 1): Promise<string> {
  return db.write((tx) => createLoginLink(tx, userId, nowMs));
}

/** A browser in which the owner has just set its password. */
export async function setUp(server: ManageServer, headers: Record<string, string> = {}): Promise<Browser> {
  const browser = new Browser(server, headers);
  const reply = await browser.send("POST", `/api/setup/${await linkOf(server)}/`, { password: PASSWORD });
  if (reply.status !== 200) throw new Error(`setup: ${reply.status} ${reply.text}`);
  return browser;
}
